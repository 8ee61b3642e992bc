import type { RecordId } from "#model";
import type { ChildrenKind, RecordStore } from "../contract/records.ts";
import { stateList } from "../rows/state-list.ts";
import { statesMovedTo } from "../transitions.ts";
import type { Access, Dialect } from "./access.ts";

/** Children examined per read, which takes a few milliseconds. */
const AT_ONCE = 1_000;

/** Which table names the children, and which of the records `r` are meant. */
const KINDS: { readonly [Kind in ChildrenKind]: readonly [table: "parents" | "waits", condition: string] } = {
  bound: [
    "parents",
    `r.state <> 'deleted' AND NOT (r.stream = @stream AND r.key = @key)
      AND EXISTS (SELECT 1 FROM bindings b WHERE b.record = r.id)`,
  ],
  waiting: ["waits", "r.state = 'waiting'"],
  dependent: ["parents", `r.state IN (${stateList(statesMovedTo("due", "parentRebound"))})`],
};

type ChildRow = { readonly child: number } & (RecordId | { readonly stream: null; readonly key: null });

/** Finds which records refer to another one, in parts: a record may have very many children. */
export function childrenOf(access: Access, { isOf }: Dialect): RecordStore["children"] {
  return async ({ stream, key }, which) => {
    const [table, condition] = KINDS[which];
    const part = `
      SELECT child FROM ${table} n WHERE ${isOf("n", "@stream", "@key")} AND n.child > @after ORDER BY n.child LIMIT ${AT_ONCE}`;
    const sql = `
      SELECT c.child, r.stream, r.key FROM (${part}) c LEFT JOIN records r ON r.id = c.child AND ${condition} ORDER BY c.child`;
    const found: RecordId[] = [];
    for (let after: number | undefined = 0; after !== undefined;) {
      const rows: ChildRow[] = await access.read<ChildRow>(sql, { stream, key, after });
      for (const row of rows) if (row.key !== null) found.push({ stream: row.stream, key: row.key });
      after = rows.length < AT_ONCE ? undefined : rows.at(-1)?.child;
    }
    return found;
  };
}
