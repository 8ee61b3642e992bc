import { counted, ParkError, type Clock, type Json, type StreamName } from "#model";
import type { NamingStore, StoredStream } from "../contract/naming.ts";
import { addAudit } from "../rows/audit-row.ts";
import { parseText, type JsonText } from "../rows/json-text.ts";
import type { Access, Statement } from "./access.ts";

/** Tables with a row per stream: what the new name has without records gives way. */
const OF_STREAMS = ["streams", "sweeps", "seen", "pauses", "watches", "run_history"];
/** Tables with rows of records, found by the name of their stream. */
const OF_RECORDS = ["records", "audit", "exchanges", "deletions"];
/** Tables of a child's references to its parents. */
const OF_PARENTS = ["parents", "waits"];
/** Kinds of notes whose names end with a resource, which may be called like a stream. */
const OF_RESOURCES: readonly string[] = ["match-index"];

export function naming(access: Access, clock: Clock): NamingStore {
  async function storedStream(stream: StreamName): Promise<StoredStream> {
    const [count] = await access.read<{ n: number }>("SELECT COUNT(*) AS n FROM records WHERE stream = @stream", {
      stream,
    });
    const bound = await access.read<{ resource: string; n: number }>(
      `SELECT b.resource AS resource, COUNT(*) AS n FROM bindings b JOIN records r ON r.id = b.record
       WHERE r.stream = @stream GROUP BY b.resource ORDER BY b.resource`,
      { stream },
    );
    return {
      records: count?.n ?? 0,
      bound: Object.fromEntries(bound.map(({ resource, n }) => [resource, n])),
    };
  }

  return {
    storedStream,
    async storedStreams() {
      // Each stream with records has had a poll. Looking for one record of each is cheaper than reading all names.
      const rows = await access.read<{ stream: StreamName }>(
        "SELECT stream FROM streams s WHERE EXISTS (SELECT 1 FROM records r WHERE r.stream = s.stream) ORDER BY stream",
      );
      return rows.map(({ stream }) => stream);
    },
    async renameStream(from, to, by) {
      const [left, arriving] = [await storedStream(from), await storedStream(to)];
      if (from === to || arriving.records > 0) {
        const found = `${to} already has ${counted(arriving.records, "record")} of its own`;
        throw new ParkError("E_RENAME_REFUSED", `${from} cannot be renamed to ${to}: ${found}`);
      }
      if (left.records === 0)
        throw new ParkError("E_RENAME_REFUSED", `${from} cannot be renamed: the store has no record of it`);
      const notes = await access.read<{ name: string; value: JsonText<Json> }>("SELECT name, value FROM notes");
      const outcome = `${from} to ${to}, ${counted(left.records, "record")}`;
      const act = { action: "rename" as const, resource: "", outcome, by: access.clean(by) };
      await access.step(
        [
          ...renamed({ from, to }, clock.now()),
          ...notes.flatMap((note) => renamedNote(note, from, to)),
          addAudit(clock.now(), { stream: to, key: "" }, act),
        ],
        { durable: true },
      );
    },
  };
}

function renamed(values: { readonly from: StreamName; readonly to: StreamName }, now: number): Statement[] {
  const { to } = values;
  const move = (table: string) => ({ sql: `UPDATE ${table} SET stream = @to WHERE stream = @from`, values });
  return [
    ...OF_STREAMS.map((table) => ({ sql: `DELETE FROM ${table} WHERE stream = @to`, values: { to } })),
    ...OF_STREAMS.map(move),
    ...OF_RECORDS.map(move),
    // Children that already waited under the new name look again: what they wait for may be bound.
    {
      sql: `UPDATE records SET state = 'due', due_at = @now
        WHERE state = 'waiting' AND id IN (SELECT child FROM waits WHERE stream = @to)`,
      values: { to, now },
    },
    ...OF_PARENTS.flatMap((table) => [
      {
        sql: `DELETE FROM ${table} WHERE stream = @to AND EXISTS (
          SELECT 1 FROM ${table} o WHERE o.child = ${table}.child AND o.key = ${table}.key AND o.stream = @from)`,
        values,
      },
      move(table),
    ]),
  ];
}

/** Moves a note of the stream; one that the new name already has gives way. */
function renamedNote(
  { name, value }: { readonly name: string; readonly value: JsonText<Json> },
  from: StreamName,
  to: StreamName,
): Statement[] {
  const [kind = "", stream, ...rest] = name.split("/");
  if (OF_RESOURCES.includes(kind)) return [];
  if (stream !== from) return [];
  const next = [kind, to, ...rest].join("/");
  return [
    { sql: "DELETE FROM notes WHERE name IN (@name, @next)", values: { name, next } },
    {
      sql: "INSERT INTO notes (name, value) VALUES (@next, @value)",
      values: { next, value: JSON.stringify(renamedValue(parseText(value), from, to)) },
    },
  ];
}

/** The value with the stream's new name wherever a member `stream` has the old one. */
function renamedValue(value: Json, from: StreamName, to: StreamName): Json {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item: Json) => renamedValue(item, from, to));
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      name === "stream" && member === from ? to : renamedValue(member, from, to),
    ]),
  );
}
