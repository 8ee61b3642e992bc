import type { ResourceName } from "#model";
import type { ReturnStream } from "#mapping";
import { listsOf, resourceFacts, type WholeQuery } from "#service";

interface Node {
  readonly resource: ResourceName;
  readonly fields: Set<string>;
  readonly lists: Map<string, Node>;
}

/** Fields of a service record that say whether and when it became final. */
const FINAL: Readonly<Record<ResourceName, readonly string[]>> = {
  svcDocument: ["approved", "approvedDate", "finished", "finishedDate", "canceled"],
};

/** What a stream reads of a record: the fields of the head, and the lists that its lines and expressions name. */
export function wholeQuery(
  resource: ResourceName,
  { reads, lines }: Pick<ReturnStream, "reads" | "lines">,
): WholeQuery {
  const head = nodeOf(resource);
  for (const name of [...reads, ...(FINAL[resource] ?? [])]) add(head, name.split("."));
  for (const line of lines) {
    const path = line.each.split(".");
    const nodes = [head];
    for (const part of path) nodes.push(below(nodes.at(-1)!, part));
    for (const name of line.reads) addOfLine(nodes, name.split("."));
  }
  return queryOf(head);
}

/** Whether a row of a list shows all that the conditions of the stream read. */
export function isJudgedByHead(resource: ResourceName, { reads }: Pick<ReturnStream, "reads">): boolean {
  const lists = listsOf(resource);
  return reads.every((name) => lists[name.split(".")[0] ?? ""] === undefined);
}

function nodeOf(resource: ResourceName): Node {
  return { resource, fields: new Set(["id"]), lists: new Map() };
}

/** The list in this field; made if it is not there yet. */
function below(node: Node, field: string): Node {
  const known = node.lists.get(field);
  if (known !== undefined) return known;
  const made = nodeOf(listsOf(node.resource)[field] ?? field);
  node.lists.set(field, made);
  return made;
}

function add(node: Node, [first = "", ...rest]: readonly string[]): void {
  if (listsOf(node.resource)[first] === undefined) node.fields.add([first, ...rest].join("."));
  else if (rest.length === 0) below(node, first);
  else add(below(node, first), rest);
}

/** `task.serviceType` of a work log is a field of the task that holds it. */
function addOfLine(nodes: readonly Node[], [first = "", ...rest]: readonly string[]): void {
  const own = nodes.at(-1)!;
  const linked = nodes.findIndex((_, at) => resourceFacts(nodes[at + 1]?.resource ?? "").parent?.field === first);
  const above = linked < 0 ? undefined : nodes[linked];
  if (above === undefined || rest.length === 0) add(own, [first, ...rest]);
  else add(above, rest);
}

function queryOf({ fields, lists }: Node): WholeQuery {
  return { fields: [...fields], lists: Object.fromEntries([...lists].map(([field, node]) => [field, queryOf(node)])) };
}
