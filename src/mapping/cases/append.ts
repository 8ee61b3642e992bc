import { Document, isCollection, parseDocument } from "yaml";
import type { MappingCases } from "./load.ts";
import type { CaseWords } from "./words.ts";

/** What is added to a file of cases. */
export interface CaseAdditions extends Pick<MappingCases, "names" | "bound"> {
  readonly cases: readonly CaseWords[];
}

const HEAD = ` Rows of the ERP and what the mapping makes of them: "svcsync test" runs these cases.
 Ids under names and bound are made up.`;

/** The text of a file of cases with these additions; comments and the order of what exists are kept. */
export function appendCases(text: string | undefined, { names, bound, cases }: CaseAdditions): string {
  const document: Document =
    text === undefined ? new Document({ names: {}, bound: {}, cases: [] }) : parseDocument(text, { merge: true });
  if (text === undefined) document.commentBefore = HEAD;
  const make = (path: readonly string[], empty: object) => {
    const outer = document.get(path[0]);
    // An empty collection is written as {} or [], and would stay on one line.
    if (isCollection(outer) && outer.items.length === 0) outer.flow = false;
    if (!document.hasIn(path)) document.setIn(path, document.createNode(empty));
  };
  for (const [resource, records] of Object.entries(names)) {
    make(["names", resource], []);
    for (const record of records) document.addIn(["names", resource], document.createNode(record));
  }
  for (const [stream, ids] of Object.entries(bound)) {
    make(["bound", stream], {});
    for (const [key, id] of Object.entries(ids)) document.setIn(["bound", stream, key], id);
  }
  make(["cases"], []);
  for (const one of cases) {
    const node = document.createNode(one);
    node.spaceBefore = true;
    document.addIn(["cases"], node);
  }
  return document.toString({ lineWidth: 0 });
}
