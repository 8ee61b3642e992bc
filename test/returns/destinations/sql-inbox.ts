import { systemClock, type Clock, type Return, type ReturnLine } from "#model";
import { inboxDdl } from "../../../src/returns/destinations/sql/ddl.ts";
import type { InboxStream } from "../../../src/returns/destinations/sql/inbox-columns.ts";
import { SqlDestination } from "../../../src/returns/destinations/sql/sql-destination.ts";
import { tableNames } from "../../../src/returns/destinations/sql/table-columns.ts";
import { adapters, type OpenedSource } from "#sources";
import { openContext } from "../../sources/reading.ts";
import type { Opened } from "../../sources/sql/opened.ts";
import type { DialectName } from "../../sources/sql/shapes.ts";

/** A stream of reports with two columns in the head and two in the lines. */
export const reports: InboxStream = {
  name: "reports",
  kind: "reports",
  to: { source: "erp", table: "svcsync_returns", lines: "svcsync_return_lines" },
  answers: { table: "svcsync_answers", withinMs: 3_600_000 },
  columns: ["order_no", "finished_at"],
  lines: [{ columns: ["article", "text"] }],
};

export const states: InboxStream = {
  ...reports,
  name: "customer-state",
  kind: "state",
  to: { source: "erp", table: "svcsync_states" },
  answers: undefined,
  columns: ["state", "reason"],
  lines: [],
};

export function line(more: Partial<ReturnLine> = {}): ReturnLine {
  return {
    kind: "time",
    id: 7,
    change: "added",
    amount: "1.5",
    amountBefore: null,
    fields: { article: "A1" },
    ...more,
  };
}

/** A fact with five lines; `version` 2 and later replace the one before. */
export function report(serviceId: number, more: Partial<Return> = {}): Return {
  const { version = 1 } = more;
  return {
    stream: "reports",
    subject: String(serviceId),
    version,
    kind: version === 1 ? "fact" : "correction",
    serviceId,
    replaces: version === 1 ? undefined : version - 1,
    hash: "a".repeat(64),
    content: {
      fields: { order_no: "O-1", finished_at: "2026-12-01T10:00:00+01:00" },
      lines: [1, 2, 3, 4, 5].map((id) => line({ id, fields: { article: "A1", text: `Zeile ${id}` } })),
    },
    ...more,
  };
}

export function state(key: string, more: Partial<Return> = {}): Return {
  return {
    ...report(0),
    stream: "customer-state",
    subject: key,
    kind: "state",
    serviceId: undefined,
    content: { fields: { state: "waiting", reason: null }, lines: [] },
    ...more,
  };
}

export function destinationIn(
  source: OpenedSource<unknown>,
  stream: InboxStream = reports,
  { installation = "prod", clock = systemClock }: { installation?: string; clock?: Clock } = {},
): SqlDestination {
  const { head, lines, answers } = tableNames(stream);
  const inbox = source.tableInbox!({
    adds: [head, ...(lines === undefined ? [] : [lines])],
    reads: answers === undefined ? [] : [answers],
  });
  return new SqlDestination({ inbox, stream, installation, clock });
}

/** Opens the same database with another address, such as one through a faulty link. */
export async function opened(
  url: string,
  settings: object = {},
  clock: Clock = systemClock,
): Promise<OpenedSource<unknown>> {
  const adapter = adapters.get("sql")!;
  return await adapter.open(
    adapter.settings.parse({ url, timezone: "Europe/Berlin", ...settings }),
    openContext(clock),
  );
}

/** Statements without those that need the user `svcsync`, which a database of a test's own does not have. */
export function withoutRights(dialect: DialectName, ddl: string): string {
  return dialect === "mssql" ? ddl.replaceAll(/^(grant|deny) .*$/gm, "") : ddl;
}

/** A database with the inbox in it. */
export async function withInbox(erp: Opened, dialect: DialectName): Promise<Opened> {
  await erp.place.writer.run(withoutRights(dialect, inboxDdl(dialect, [reports, states])));
  return erp;
}
