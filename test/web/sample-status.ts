import { ParkError, recordLabel, type RecordId } from "#model";
import {
  attentionStates,
  bindAct,
  ErrorGroups,
  retryAct,
  targetLabel,
  type ChannelTest,
  type Given,
  type NotedGroup,
} from "#operator";
import {
  noCounts,
  type AuditRecord,
  type WatchedExchange,
  type GroupNote,
  type HistoryHour,
  type RecordView,
  type PersonAct,
} from "#store";
import type { FieldSides, RecordSides, StreamStatus } from "#pipeline";
import type { Overview, StatusSource } from "#web";
import { now, sampleDeletions, samplePlan } from "./sample-decisions.ts";
import { sampleReturns } from "./sample-returns.ts";

export { now };

const minute = 60_000;

export function sampleRecord(id: RecordId, facts: Partial<RecordView> = {}): RecordView {
  return {
    id,
    state: "applied",
    row: { customer_no: id.key, name1: "Müller & Söhne", remarks: null, credit_limit: "1200.50", blocked: false },
    deleted: false,
    sequence: 3,
    appliedSequence: 3,
    attempts: 0,
    dueAt: undefined,
    changedAt: now - 5 * minute,
    error: undefined,
    decision: undefined,
    binding: { resource: "customer", serviceId: 4711 },
    applied: { customerId: id.key, name: "Müller & Söhne", customerStatus: 1 },
    intent: undefined,
    waitsFor: [],
    ...facts,
  };
}

export const sampleRecords: readonly RecordView[] = [
  sampleRecord({ stream: "customers", key: "10023" }),
  sampleRecord(
    { stream: "contacts", key: "10023|7/a" },
    {
      state: "parked",
      inFlight: { kind: "update", fields: { email: "old@example.com" } },
      sequence: 4,
      attempts: 2,
      row: { customer_no: "10023", contact_no: "7/a", email: "<script>alert(1)</script>" },
      error: {
        code: "E_SERVICE_REFUSED",
        message: 'The service refused the update of customerContact 812: "invalid e-mail <b>address</b>"',
        details: { status: 400, field: "email" },
      },
    },
  ),
  sampleRecord(
    { stream: "tickets", key: "T-1" },
    {
      state: "uncertain",
      binding: undefined,
      applied: undefined,
      appliedSequence: undefined,
      sequence: 1,
      intent: {
        resource: "ticket",
        projection: {},
        begunAt: now - 20 * minute,
        looks: 3,
        answered: false,
        decided: false,
      },
      error: {
        code: "E_CREATE_UNCERTAIN",
        message: "no answer to the create, and tickets cannot be searched",
        details: {},
      },
    },
  ),
  sampleRecord(
    { stream: "tickets", key: "T-2" },
    {
      state: "waiting",
      binding: undefined,
      applied: undefined,
      appliedSequence: undefined,
      sequence: 1,
      waitsFor: [{ stream: "customers", key: "99999" }],
      error: {
        code: "E_PARENT_MISSING",
        message: "customers/99999 has no counterpart in the service yet",
        details: {},
      },
    },
  ),
];

const sampleExchanges: readonly WatchedExchange[] = [
  { at: now - 1_000, method: "GET", path: "/restApi/v1/customer/501?fields=id", failure: "cut", durationMs: 3 },
  {
    at: now - 2_000,
    method: "PUT",
    path: "/restApi/v1/customer/501",
    sent: '{"name":"<b>Muster</b>"}',
    status: 400,
    answer: '{"errorMessage":"name is too long"}',
    durationMs: 12.4,
  },
];

const history: readonly AuditRecord[] = [
  {
    at: now - 5 * minute,
    id: { stream: "customers", key: "10023" },
    action: "update",
    resource: "customer",
    serviceId: 4711,
    before: { name: "Müller" },
    after: { name: "Müller & Söhne" },
    outcome: "updated",
    status: 200,
    durationMs: 41.7,
  },
];

/** An hour of contacts that began so many hours before the moment of the sample. */
export function sampleHour(hoursAgo: number, counts: Partial<HistoryHour>): HistoryHour {
  return {
    stream: "contacts",
    hourAt: now - hoursAgo * 60 * minute,
    ...noCounts,
    polls: 60,
    ...counts,
  };
}

const sampleHours = [
  sampleHour(24, { updated: 999 }),
  sampleHour(23, { created: 1200 }),
  sampleHour(2, { updated: 3 }),
];

const pollOk = {
  cursor: { stamp: "2026-05-20T11:59:30Z", key: "10023" },
  polledAt: now - 12_000,
  completedAt: now - 12_000,
  deletionCursor: null,
  sequence: 4,
  rowsRead: 4,
  error: undefined,
  firstLoad: false,
};

export const sampleStreams: readonly StreamStatus[] = [
  {
    name: "customers",
    source: "erp",
    deletionsHeld: 0,
    blocked: 0,
    twins: [],
    resource: "customer",
    state: "following",
    cursor: pollOk,
    lagMs: 12_000,
    arrival: { medianMs: 500, p95Ms: 60_000 },
    counts: { applied: 1 },
    holds: [],
    attention: [],
  },
  {
    name: "contacts",
    source: "erp",
    deletionsHeld: 0,
    blocked: 0,
    twins: [],
    resource: "customerContact",
    state: "failing",
    lagMs: 12_000,
    attention: ["polls fail: the ERP does not answer: connection refused at erp.example:5432 (E_SOURCE_UNREACHABLE)"],
    cursor: {
      ...pollOk,
      error: {
        code: "E_SOURCE_UNREACHABLE",
        message: "the ERP does not answer: connection refused at erp.example:5432",
        details: {},
        at: now - 2 * minute,
      },
    },
    undeliveredMs: 4 * minute,
    counts: { applied: 1187, due: 4, parked: 1 },
    holds: [],
  },
  {
    name: "tickets",
    source: "erp",
    deletionsHeld: 0,
    blocked: 0,
    twins: [],
    resource: "ticket",
    state: "held",
    lagMs: undefined,
    attention: [
      'the service already holds 2,000 tickets and nobody has said what they are; "svcsync adopt tickets" shows what matches',
      "the service answers 200 to billable but does not keep it",
    ],
    cursor: { ...pollOk, cursor: null, completedAt: undefined, firstLoad: true, rowsRead: 300 },
    counts: { waiting: 1, uncertain: 1 },
    holds: [
      {
        kind: "adoption",
        reason: "the service already holds 2,000 tickets and nobody has said what they are",
        remedy: '"svcsync adopt tickets" shows what matches',
        needsPerson: true,
        polls: false,
      },
    ],
  },
];

const sides = (field: string, mapped: string, written: string, found?: string): FieldSides => ({
  field,
  mapped,
  written,
  found,
  isPending: mapped !== written,
  isChanged: found !== undefined && found !== written,
});

/** What is shown of a record's way to the service: the name is not written yet, the phone was changed there. */
export function sampleSides({ binding }: RecordView, read: boolean): RecordSides {
  const isThere = read && binding !== undefined;
  const now = (text: string) => (isThere ? text : undefined);
  return {
    fields: [
      sides("customerId", "10023", "10023", now("10023")),
      sides("name", "Müller & Söhne AG", "Müller & Söhne", now("Müller & Söhne")),
      sides("phone", "+41 44 123 45 67", "+41 44 123 45 67", now("+41 79 000 00 00")),
    ],
    verdict: undefined,
    error: undefined,
    service: isThere ? "there" : "notAsked",
  };
}

/** What people decided about a return. */
const sampleHistory: readonly AuditRecord[] = [
  {
    at: now - 20 * minute,
    id: { stream: "returns/reports", key: "4711" },
    action: "return",
    resource: "",
    outcome: "send, version 1",
    by: { name: "ben", via: "cli", why: "asked <anna>" },
  },
];

/** The group of the parked contact, and what people wrote down about it. */
const groups = new ErrorGroups();
groups.add(sampleRecords[1]!);
export const sampleGroup = groups.list()[0]!.id;
export const sampleNote: GroupNote = {
  note: "asked <b>Ben</b>",
  owner: "anna",
  snooze: { until: now + 24 * 60 * minute, count: 1 },
  by: { name: "anna", via: "cli" },
  at: now - 60 * minute,
};

/** The causes of those records that are held up, as the daemon tells them. */
export function causesIn(records: readonly RecordView[]): NotedGroup[] {
  const found = new ErrorGroups();
  for (const state of attentionStates) for (const record of records) if (record.state === state) found.add(record);
  return found.list().map((group) => ({ ...group, noted: group.id === sampleGroup ? sampleNote : undefined }));
}

const sampleActsDone: readonly PersonAct[] = [
  {
    at: now - 30 * minute,
    stream: "contacts",
    key: "10023|7/a",
    count: 412,
    action: "retry",
    outcome: "again",
    by: { name: "anna", via: "page", why: "the status is there <now>" },
  },
  {
    at: now - 26 * 60 * minute,
    stream: "customers",
    key: "",
    count: 1,
    action: "pause",
    outcome: "until 2026-05-19T12:00:00.000Z",
    by: { name: "ben", via: "cli" },
  },
];

const sampleTests: readonly ChannelTest[] = [
  { channel: "email", isDelivered: true },
  {
    channel: "chat",
    isDelivered: false,
    error: { code: "E_NOTIFY_REFUSED", message: "s3cret was <refused>", details: {} },
    remedy: "correct the address",
  },
];

/** What each act resolves to, where anything reads it. */
const results: Readonly<Record<string, (given: Given) => unknown>> = {
  "record retry": () => 1,
  "record bind": ({ input: { serviceId }, isConfirmed }) => {
    if (serviceId === 4711) throw new ParkError("E_ALREADY_BOUND", "customer 4711 already belongs to customers/10023");
    return {
      ours: { name: "Pump leaks", match: "ticketId T-1" },
      theirs: { serviceId, name: "Pump leaks!", match: "ticketId T-1" },
      overwrites: [{ field: "subject", from: "Pump leaks!", to: "Pump leaks" }],
      binding: { resource: "ticket", serviceId },
      isBound: isConfirmed,
    };
  },
  "group retry": () => 2,
  "stream plan": ({ input: { plan } }) => {
    if (plan !== samplePlan.plan)
      throw new ParkError(
        "E_PLAN_OUTDATED",
        `plan ${String(plan)} is not what would be written now: the plan is now ${samplePlan.plan} (customers, 3980 updates). Nothing was confirmed`,
      );
    return samplePlan.updates;
  },
  "installation test": () => sampleTests,
};

/** Writes down what was asked for, by whom and why. */
function sampleActs(done: string[]): StatusSource["carryOut"] {
  return async (act, given, { name, why }) => {
    const { target } = given;
    if (act.target === "group" && target !== sampleGroup)
      throw new ParkError("E_GROUP_UNKNOWN", "there is no group 00000000");
    const result = results[`${act.target} ${act.name}`]?.(given) ?? {};
    if (act === bindAct && !given.isConfirmed) return result;
    const { why: _, confirm: __, ...input } = given.input;
    const label = targetLabel(target);
    const asked = Object.keys(input).length === 0 ? undefined : JSON.stringify(input);
    const words = [act.name, label, asked, "by", `${name}${why === undefined ? "" : `: ${why}`}`];
    done.push(act === retryAct ? label! : words.filter((word) => word !== undefined).join(" "));
    return result;
  };
}

function nameOf({ row }: Pick<RecordView, "row">): string {
  return typeof row["name1"] === "string" ? row["name1"] : "";
}

/** A status source over sample records that remembers what was retried. */
export function sampleStatus(facts: Partial<Overview> = {}): StatusSource & { readonly retried: string[] } {
  const retried: string[] = [];
  return {
    retried,
    streams: ["customers", "contacts", "tickets"],
    channels: ["email", "chat"],
    groups: () => Promise.resolve(causesIn(sampleRecords)),
    recentActs: ({ since, stream }) =>
      Promise.resolve(sampleActsDone.filter((act) => act.at >= since && (stream ?? act.stream) === act.stream)),
    groupNotes: () => Promise.resolve(new Map([[sampleGroup, sampleNote]])),
    history: ({ since, stream }) =>
      Promise.resolve(sampleHours.filter((hour) => hour.hourAt >= since && (stream ?? hour.stream) === hour.stream)),
    overview: () =>
      Promise.resolve({
        startedAt: now - 3 * 60 * minute,
        blockedRecords: "note",
        streams: sampleStreams,
        service: {
          state: "closed",
          probeAt: undefined,
          holdMs: 0,
          perSecond: undefined,
          concurrency: 4,
          requests: 1873,
        },
        queue: { kind: "redis", waiting: 4, active: 1 },
        upkeep: {
          backup: {
            triedAt: now - 60 * minute,
            verified: { at: now - 60 * minute, path: "/backups/1.db", sizeBytes: 4096, recordCount: 4 },
          },
          drift: undefined,
          channels: [],
        },
        ...facts,
      }),
    records: ({ stream, states, after, limit }) => {
      const wanted = sampleRecords.filter(
        ({ id, state }) =>
          (states === undefined || states.includes(state)) && (stream === undefined || stream === id.stream),
      );
      const from = after === undefined ? 0 : wanted.findIndex(({ id }) => recordLabel(id) === recordLabel(after)) + 1;
      return Promise.resolve(wanted.slice(from, from + limit));
    },
    returns: {
      statuses: () => Promise.resolve(facts.returns ?? []),
      find: ({ stream, states, limit }) =>
        Promise.resolve(
          sampleReturns
            .filter((item) => item.stream === stream && (states ?? [item.state]).includes(item.state))
            .slice(0, limit),
        ),
      one: ({ stream, subject, version }) => {
        const versions = sampleReturns.filter((item) => item.stream === stream && item.subject === subject);
        const item = versions.find((each) => each.version === version);
        const history = sampleHistory.filter(() => version === 2);
        return Promise.resolve(item && { item, versions, history, record: { stream: "tickets", key: "T-1" } });
      },
    },
    titles: (shown) => Promise.resolve(shown.map(nameOf)),
    names: (ids) =>
      Promise.resolve(
        ids.map((id) =>
          nameOf(sampleRecords.find((known) => recordLabel(known.id) === recordLabel(id)) ?? { row: {} }),
        ),
      ),
    record: (id, { readService } = { readService: false }) => {
      const record = sampleRecords.find((known) => recordLabel(known.id) === recordLabel(id));
      if (record === undefined) return Promise.resolve(undefined);
      const holds = sampleStreams.find(({ name }) => name === id.stream)?.holds ?? [];
      return Promise.resolve({
        record,
        obstacles: holds.map(({ reason, remedy }) => `${reason}; ${remedy}`),
        sides: sampleSides(record, readService),
        history: history.filter((entry) => recordLabel(entry.id) === recordLabel(id)),
        exchanges: id.key === "10023" ? sampleExchanges : [],
      });
    },
    boundTo: ({ resource, serviceId }) =>
      Promise.resolve(
        sampleRecords.find(({ binding }) => binding?.resource === resource && binding.serviceId === serviceId)?.id,
      ),
    plan: (stream) => Promise.resolve(stream === "customers" ? { plan: samplePlan, at: now - 3 * minute } : undefined),
    heldDeletions: (stream) => Promise.resolve(stream === "customers" ? sampleDeletions : undefined),
    adoption: () => ({ kind: "never" }),
    carryOut: sampleActs(retried),
  };
}
