import { describe, expect, it } from "vitest";
import type { ErrorCode, RecordState } from "#model";
import { conditionsOf, type NoticeFacts } from "#notify";
import { ErrorGroups } from "#operator";
import type { StreamStatus } from "#pipeline";

const now = Date.parse("2026-11-20T12:00:00Z");
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const policy = { afterMs: 15 * MINUTE, diskFreeBytes: 500 * 1024 * 1024 };

function stream(name: string, more: Partial<StreamStatus> = {}, code?: ErrorCode): StreamStatus {
  const error = code && { code, message: "the ERP said no", details: {}, at: now };
  return {
    name,
    source: "erp",
    resource: "customer",
    state: "following",
    cursor: {
      cursor: null,
      deletionCursor: null,
      sequence: 0,
      polledAt: now,
      completedAt: now,
      rowsRead: 0,
      error,
      firstLoad: false,
    },
    lagMs: 0,
    counts: {},
    holds: [],
    deletionsHeld: 0,
    blocked: 0,
    twins: [],
    attention: [],
    ...more,
  };
}

function conditions(facts: Partial<NoticeFacts>) {
  const well: NoticeFacts = {
    now,
    streams: [],
    returns: [],
    blockedRecords: "note",
    groups: [],
    notes: new Map(),
    known: new Set(),
    service: { state: "closed" },
    isQueueThere: true,
    disk: { path: "/data", freeBytes: 10 ** 12 },
    expiries: [],
    silent: [],
    channels: [],
  };
  return conditionsOf({ ...well, ...facts }, policy);
}

function groupsOf(count: number, state: RecordState) {
  const groups = new ErrorGroups();
  const error = { code: "E_SERVICE_REFUSED", message: "refused: too long", details: {} } as const;
  for (let at = 0; at < count; at++) groups.add({ id: { stream: "customers", key: String(at) }, state, error });
  return groups.list();
}

describe("conditions", () => {
  it("are none where all is well", () => {
    expect(conditions({ streams: [stream("customers"), stream("tickets")] })).toEqual([]);
  });

  it("are one for all streams of a source that fail alike: told soon where a person must act, else after a while", () => {
    const refused = ["customers", "tickets"].map((name) => stream(name, {}, "E_SOURCE_LOGIN"));
    const away = stream("orders", { source: "shop" }, "E_SOURCE_UNREACHABLE");
    expect(conditions({ streams: [...refused, away] })).toMatchObject([
      {
        id: "failing/erp/E_SOURCE_LOGIN",
        severity: "problem",
        title: "erp: the polls of 2 streams fail",
        cause: "the ERP said no (E_SOURCE_LOGIN)",
        affected: "customers, tickets",
        remedy: expect.stringContaining("Correct the user, password, token or key"),
        patienceMs: 30_000,
      },
      { id: "failing/shop/E_SOURCE_UNREACHABLE", severity: "warning", patienceMs: policy.afterMs },
    ]);
  });

  it("name a refused file with its reason, and do not call its polls failed", () => {
    const file = { name: "a.csv", code: "E_SOURCE_FILE", place: "a.csv:3", reason: "not UTF-8", at: now } as const;
    expect(conditions({ streams: [stream("customers", { refusedFiles: [file] }, "E_SOURCE_FILE")] })).toMatchObject([
      {
        id: "refused/customers",
        kind: "failing",
        severity: "problem",
        cause: "the file a.csv was refused, and none of its rows was used: a.csv:3: not UTF-8 (E_SOURCE_FILE)",
        remedy: expect.stringContaining('"svcsync files customers --settle NAME"'),
      },
    ]);
  });

  it("hold what a hold and a guard say, with the command that ends them", () => {
    const hold = {
      kind: "adoption",
      reason: "customer already holds 3 records",
      remedy: '"svcsync adopt customers" shows which',
      needsPerson: true,
      polls: true,
    } as const;
    expect(conditions({ streams: [stream("customers", { holds: [hold], deletionsHeld: 60 })] })).toMatchObject([
      { id: "held/customers/adoption", kind: "held", severity: "problem", cause: hold.reason, remedy: hold.remedy },
      {
        id: "deletions/customers",
        title: "customers: the deletion guard holds 60 deletions",
        count: 60,
        remedy: expect.stringContaining('"svcsync deletions customers"'),
      },
    ]);
  });

  it("count the records of a cause and name one command for all of them", () => {
    const [group] = groupsOf(412, "parked");
    expect(conditions({ groups: [group!] })).toMatchObject([
      {
        id: `parked/${group!.id}`,
        title: "customers: 412 records are parked",
        cause: "refused: too long (E_SERVICE_REFUSED)",
        affected: "customers: 0, 1, 2 and more",
        remedy: expect.stringContaining(`All of them: "svcsync retry --group ${group!.id}".`),
        count: 412,
      },
    ]);
    const many = Array.from({ length: 1_200 }, (_, at) => ({ ...group!, id: String(at), count: 2 }));
    const found = conditions({ groups: many });
    expect(found).toHaveLength(501);
    expect(found.at(-1)).toMatchObject({
      kind: "parked",
      title: "1,400 records more need attention, for 700 other causes",
      affected: "customers",
      count: 1_400,
    });
    const grown = many.toReversed();
    const known = new Set(found.map(({ id }) => id));
    expect(new Set(conditions({ groups: grown, known }).map(({ id }) => id))).toEqual(known);
    expect(conditions({ groups: groupsOf(1, "uncertain") })).toMatchObject([{ kind: "uncertain", count: 1 }]);
    expect(conditions({ groups: groupsOf(5, "waiting") })).toEqual([]);
  });

  it("tell of blocked records only where the settings call them a problem", () => {
    const streams = [stream("contacts", { blocked: 18 })];
    expect(conditions({ streams })).toEqual([]);
    expect(conditions({ streams, blockedRecords: "problem" })).toMatchObject([{ id: "blocked/contacts", count: 18 }]);
  });

  it("tell of service, queue, disk, silence and a channel that takes nothing", () => {
    const failure = { since: now - DAY, attempts: 3, message: "no connection (E_NOTIFY_UNREACHABLE)" };
    const found = conditions({
      service: { state: "open" },
      isQueueThere: false,
      disk: { path: "/data", freeBytes: 10 ** 8 },
      silent: [{ stream: "orders", lastAt: now - 5 * DAY, expectedMs: 2 * DAY }],
      channels: [
        { name: "email", failure },
        { name: "chat", failure: { ...failure, attempts: 2 } },
      ],
    });
    expect(found.map(({ id, severity }) => [id, severity])).toEqual([
      ["silence/orders", "warning"],
      ["service", "warning"],
      ["queue", "warning"],
      ["disk", "problem"],
      ["channel/email", "warning"],
    ]);
    expect(found[0]!.title).toBe("orders: no change from the ERP for 5 d");
  });

  it("say what to do about the error behind a failed backup and a dead channel, as its page does", () => {
    const failure = { since: now - DAY, attempts: 3, message: "535 (E_NOTIFY_LOGIN)", code: "E_NOTIFY_LOGIN" } as const;
    const state = { triedAt: now, failure: "no folder (E_BACKUP_FOLDER)", failureCode: "E_BACKUP_FOLDER" } as const;
    const [channel, backup] = conditions({
      channels: [{ name: "email", failure }],
      backup: { state, everyMs: DAY },
    });
    expect(channel!.remedy).toMatch(/^Correct the credentials of the channel/);
    expect(backup!.remedy).toMatch(/^Mount the disk or create the folder of BACKUP_DIR.* "svcsync backup FILE" makes/);
  });

  it("tell of what expires three weeks before, and louder in the last days", () => {
    const name = "the certificate of erp.example.com:443";
    const expiring = (days: number) => conditions({ expiries: [{ name, at: now + days * DAY }] });
    expect(expiring(22)).toEqual([]);
    expect(expiring(21)).toMatchObject([{ severity: "warning", title: `${name} expires on 2026-12-11` }]);
    expect(expiring(3)).toMatchObject([{ severity: "problem" }]);
    expect(expiring(-1)).toMatchObject([{ severity: "problem", title: `${name} has expired` }]);
  });

  it("tell of a second record in the service at once", () => {
    const twin = { stream: "contacts", key: "1", resource: "customerContact", serviceId: 7, twin: 9 };
    const [found] = conditions({ streams: [stream("contacts", { twins: [twin] })] });
    expect(found).toMatchObject({ id: "twin/contacts", severity: "problem", affected: "contacts/1", patienceMs: 0 });
    expect(found?.cause).toContain("customerContact 7 is kept up to date, and 9 has the same natural key");
  });

  it("tell of a list of deletions that the ERP does not show", () => {
    const [found] = conditions({ streams: [stream("contacts", { deletionsRefused: "GET /Deleted answered 403" })] });
    expect(found).toMatchObject({ kind: "deletions", severity: "warning", affected: "contacts" });
    expect(found?.cause).toContain("GET /Deleted answered 403");
  });
});
