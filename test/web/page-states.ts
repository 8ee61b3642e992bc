import { noCounts, type RecordView } from "#store";
import type { StatusSource } from "#web";
import type { StreamStatus } from "#pipeline";
import { compared, now, sampleReport } from "./sample-decisions.ts";
import {
  causesIn,
  sampleHour,
  sampleRecord,
  sampleRecords,
  sampleSides,
  sampleStatus,
  sampleStreams,
} from "./sample-status.ts";
import { heldReturns } from "./sample-returns.ts";
import type { sampleWeb } from "./web-server.ts";

/** What a browser may see of the server: a page in a state, as a name for its picture. */
export interface PageState {
  readonly name: string;
  readonly path: string;
  readonly parts: NonNullable<Parameters<typeof sampleWeb>[0]>;
  readonly address?: Parameters<typeof sampleWeb>[1];
  /** The form that is sent to get there. */
  readonly send?: { readonly action: string; readonly fields: Readonly<Record<string, string>> };
}

const minute = 60_000;
const token = "a-token-of-the-page";
const [customers, contacts, tickets] = sampleStreams;

const healthy: readonly StreamStatus[] = [
  { ...customers!, counts: { applied: 4_120, deleted: 12 } },
  {
    ...contacts!,
    state: "following",
    attention: [],
    undeliveredMs: undefined,
    cursor: { ...contacts!.cursor, error: undefined },
    counts: { applied: 9_877, skipped: 40 },
  },
  {
    ...tickets!,
    state: "following",
    attention: [],
    holds: [],
    lagMs: 12_000,
    cursor: customers!.cursor,
    counts: { applied: 2_204 },
  },
];

const held = (change: Partial<StreamStatus>): StreamStatus[] => [
  { ...healthy[0]!, ...change },
  healthy[1]!,
  healthy[2]!,
];

const hours: Awaited<ReturnType<StatusSource["history"]>> = Array.from({ length: 24 }, (_, ago) => ({
  ...noCounts,
  ...sampleHour(ago, { updated: (ago * 37) % 90 }),
  stream: ["customers", "contacts", "tickets"][ago % 3]!,
}));

/** 500 days of a stream that delivers most at the end of each week, and fails now and then. */
const longHistory: typeof hours = Array.from({ length: 500 }, (_, at) =>
  sampleHour(24 * (499 - at), {
    updated: ((at % 7) + 1) * 40 + ((at * 37) % 90),
    parked: at % 61 === 0 ? 2 : 0,
    pollFailures: at % 97 === 0 ? 3 : 0,
  }),
);
const historyOf = (kept: typeof hours) =>
  status({}, { history: ({ since }) => Promise.resolve(kept.filter(({ hourAt }) => hourAt >= since)) });

/** A status whose streams and records are these. */
function status(
  facts: Parameters<typeof sampleStatus>[0],
  more: Partial<StatusSource> = {},
  records: readonly RecordView[] = [],
): StatusSource {
  const base = sampleStatus(facts);
  return {
    ...base,
    history: () => Promise.resolve(hours),
    groups: () => Promise.resolve(causesIn(records)),
    records: ({ stream, states }) =>
      Promise.resolve(
        records.filter(({ id, state }) => (stream ?? id.stream) === id.stream && (states ?? [state]).includes(state)),
      ),
    ...more,
  };
}

const changeHold = {
  kind: "change",
  reason: "its changed mapping would update 3,980 of 4,120 records, more than the change guard allows",
  remedy:
    '"svcsync plan customers" shows them; "svcsync plan --confirm 0a1b2c3d4e5f" writes them. Or correct the sync file and restart',
  needsPerson: true,
  polls: false,
} as const;

const adoptionHold = {
  kind: "adoption",
  reason: "ticket already holds 2003 records that svcsync does not know",
  remedy:
    '"svcsync adopt tickets" shows which of them match records of the ERP; "--confirm" adopts those and creates the others',
  needsPerson: true,
  polls: false,
} as const;

const pauseHold = {
  kind: "pause",
  reason: 'delivery is paused by anna until 2026-05-20 18:00: "ERP upgrade"',
  remedy: '"svcsync resume customers" ends it earlier',
  needsPerson: false,
  polls: false,
  endsAt: now + 360 * minute,
} as const;

const said = (hold: { reason: string; remedy: string }) => [`${hold.reason}; ${hold.remedy}`];

const waitingForAdoption = (adoption: StatusSource["adoption"]) =>
  status(
    {
      streams: [
        healthy[0]!,
        healthy[1]!,
        { ...tickets!, attention: said(adoptionHold), holds: [adoptionHold], counts: { due: 287 } },
      ],
    },
    { adoption },
  );

const unknownStatus = (key: string) =>
  sampleRecord(
    { stream: "customers", key },
    {
      state: "parked",
      binding: undefined,
      applied: undefined,
      appliedSequence: undefined,
      attempts: 1,
      error: {
        code: "E_LOOKUP_UNKNOWN",
        message: 'no customerStatus is called "Aktiv"; there are Active, Inactive, Prospect',
        details: { field: "customerStatus" },
      },
    },
  );
const parkedRecords = [...Array.from({ length: 12 }, (_, at) => unknownStatus(String(10_100 + at))), sampleRecords[1]!];

const missing = sampleRecord(
  { stream: "customers", key: "10024" },
  {
    state: "parked",
    error: {
      code: "E_RECORD_GONE",
      message: "customer 4711 no longer exists in the service",
      details: { status: 404 },
    },
  },
);

const detailOf =
  (record: RecordView): StatusSource["record"] =>
  async (_, { readService } = { readService: false }) => ({
    record,
    obstacles: [],
    sides: { ...sampleSides(record, false), ...(readService ? { service: "gone" as const } : {}) },
    history: [],
    exchanges: [],
  });

const well = status({ streams: healthy });

/** The page in every state that people meet. */
export const pageStates: readonly PageState[] = [
  { name: "all-well", path: "/", parts: { status: well } },
  { name: "returns-held", path: "/", parts: { status: status({ streams: healthy, returns: heldReturns }) } },
  { name: "returns-listed", path: "/returns/reports", parts: {} },
  { name: "return", path: "/returns/reports/2?subject=4711", parts: {} },
  {
    name: "empty-install",
    path: "/",
    parts: {
      status: {
        ...status({
          streams: healthy.map((stream) => ({
            ...stream,
            state: "loading",
            counts: {},
            lagMs: undefined,
            cursor: {
              ...stream.cursor,
              cursor: null,
              polledAt: undefined,
              completedAt: undefined,
              rowsRead: 0,
              firstLoad: true,
            },
          })),
          upkeep: { backup: undefined, drift: undefined, channels: [] },
        }),
        recentActs: async () => [],
      },
    },
  },
  {
    name: "first-load",
    path: "/",
    parts: {
      status: {
        ...status({
          streams: held({
            state: "loading",
            lagMs: undefined,
            counts: { due: 812, claimed: 16, applied: 1_204 },
            cursor: { ...tickets!.cursor, rowsRead: 2_032 },
          }),
          upkeep: { backup: undefined, drift: undefined, channels: [] },
        }),
        recentActs: async () => [],
      },
    },
  },
  { name: "several-troubles", path: "/", parts: {} },
  {
    name: "stream-failing",
    path: "/",
    parts: { status: status({ streams: [healthy[0]!, contacts!, healthy[2]!] }, {}, [sampleRecords[1]!]) },
  },
  {
    name: "parked-groups",
    path: "/",
    parts: {
      status: status(
        {
          streams: held({ counts: { applied: 4_108, parked: 12 } }).with(1, {
            ...healthy[1]!,
            counts: { applied: 9_876, parked: 1 },
          }),
        },
        {},
        parkedRecords,
      ),
    },
  },
  {
    name: "held-plan",
    path: "/",
    parts: { status: status({ streams: held({ state: "held", holds: [changeHold], attention: said(changeHold) }) }) },
  },
  { name: "held-plan-page", path: "/streams/customers/plan", parts: {} },
  { name: "held-plan-counting", path: "/streams/tickets/plan", parts: {} },
  { name: "held-plan-read-only", path: "/streams/customers/plan", parts: { access: { token, isPublic: true } } },
  {
    name: "held-deletions",
    path: "/",
    parts: {
      status: status({
        streams: held({
          deletionsHeld: 60,
          counts: { applied: 352, waiting: 60 },
          attention: [
            '60 records are missing in the ERP or marked as deleted, more than the deletion guard allows; "svcsync deletions customers" shows them, and how to confirm them',
          ],
        }),
      }),
    },
  },
  { name: "held-deletions-page", path: "/streams/customers/deletions", parts: {} },
  { name: "history", path: "/streams/contacts/history", parts: { status: historyOf(longHistory) } },
  { name: "history-first-days", path: "/streams/contacts/history", parts: {} },
  { name: "history-empty", path: "/streams/customers/history", parts: { status: historyOf([]) } },
  { name: "adoption", path: "/", parts: { status: waitingForAdoption(() => ({ kind: "never" })) } },
  { name: "adoption-begin", path: "/adoption", parts: { status: waitingForAdoption(() => ({ kind: "never" })) } },
  {
    name: "adoption-running",
    path: "/adoption",
    parts: { status: waitingForAdoption(() => ({ kind: "running", at: now - minute })) },
  },
  { name: "adoption-done", path: "/adoption", parts: { status: waitingForAdoption(() => compared) } },
  {
    name: "adoption-blind",
    path: "/adoption",
    parts: {
      status: waitingForAdoption(() => ({
        kind: "done",
        at: now,
        reports: [
          {
            ...sampleReport,
            counts: { ...sampleReport.counts, matched: 0, new: 283, deleted: 0, ambiguous: 0 },
            examples: [],
            blindFields: ["erpNumber"],
          },
        ],
      })),
    },
  },
  {
    name: "paused",
    path: "/",
    parts: {
      status: status({
        streams: held({
          state: "paused",
          holds: [pauseHold],
          attention: said(pauseHold),
          counts: { applied: 4_100, due: 20 },
        }),
      }),
    },
  },
  { name: "queue-away", path: "/", parts: { status: status({ streams: healthy, queue: undefined }) } },
  {
    name: "service-failing",
    path: "/",
    parts: {
      status: status({
        streams: held({ counts: { applied: 4_100, due: 20 }, undeliveredMs: 7 * minute }),
        service: {
          state: "open",
          probeAt: now + 25_000,
          holdMs: 0,
          perSecond: undefined,
          concurrency: 4,
          requests: 1_873,
        },
      }),
    },
  },
  {
    name: "upkeep-failing",
    path: "/",
    parts: {
      status: status({
        streams: healthy,
        upkeep: {
          backup: { triedAt: now, failure: "no space left on device: /backups/2026-05-20.db" },
          drift: undefined,
          channels: [],
        },
      }),
    },
  },
  { name: "record-applied", path: "/records/customers/10023?service=now", parts: {} },
  { name: "record-parked", path: "/records/contacts/10023%7C7%2Fa", parts: {} },
  { name: "record-uncertain", path: "/records/tickets/T-1", parts: {} },
  { name: "record-waiting", path: "/records/tickets/T-2", parts: {} },
  {
    name: "record-missing-in-service",
    path: "/records/customers/10024?service=now",
    parts: { status: status({}, { record: detailOf(missing) }) },
  },
  { name: "record-unknown", path: "/records/customers/99999", parts: {} },
  { name: "records", path: "/records", parts: {} },
  { name: "search-found", path: "/search?q=M%C3%BCller", parts: {} },
  { name: "search-nothing", path: "/search?q=Nirgends%20GmbH", parts: {} },
  { name: "login-token", path: "/login", parts: { access: { token } } },
  {
    name: "login-wrong",
    path: "/login",
    parts: {
      access: {
        token,
        users: [
          {
            name: "anna",
            role: "act",
            hash: "scrypt.15.8.3.q1w2e3r4t5z6u7i8o9p0aQ.y1x2c3v4b5n6m7q8w9e0r1t2z3u4i5o6p7a8s9d0f1g",
          },
        ],
      },
    },
    send: { action: "/login", fields: { user: "anna", password: "wrong" } },
  },
  {
    name: "bind-confirm",
    path: "/records/tickets/T-1",
    parts: {},
    send: { action: "/records/tickets/T-1/bind", fields: { serviceId: "812", why: "seen in the service" } },
  },
  {
    name: "act-refused",
    path: "/streams/customers/plan",
    parts: {},
    send: { action: "/streams/customers/plan", fields: { plan: "ffffffffffff", why: "meant", confirm: "yes" } },
  },
  { name: "error-not-found", path: "/nowhere", parts: {} },
  { name: "error-page-closed", path: "/", parts: {}, address: { host: "0.0.0.0" } },
  {
    name: "error-store-away",
    path: "/",
    parts: { status: status({}, { overview: () => Promise.reject(new Error("the store does not answer")) }) },
  },
];
