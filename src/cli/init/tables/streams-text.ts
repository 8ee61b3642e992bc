import type { TableOutline } from "#sources";
import { isActiveMark, type ChosenColumns } from "./propose.ts";
import { templateZone } from "../presets.ts";
import { parts, type StreamKind } from "./words.ts";

/** One stream as a person chose it. */
export interface StreamChoice {
  readonly kind: StreamKind;
  readonly table: string;
  readonly outline: TableOutline;
  readonly columns: ChosenColumns;
}

interface Target {
  readonly title: string;
  readonly resource: string;
  readonly match: string;
  /** The field that each part fills, where their names differ. */
  readonly fields: Readonly<Record<string, string>>;
  /** Parts that are written at creation only. */
  readonly once: readonly string[];
  /** Lines that do not come from a column. */
  readonly more: readonly string[];
  /** What happens to a record that the ERP deleted. */
  readonly deleted: readonly string[];
}

const stays = ["deleted: { ignore: true }"];

const targets: Readonly<Record<StreamKind, Target>> = {
  customers: {
    title: "Customers",
    resource: "customer",
    match: "[customerId]",
    fields: { number: "customerId" },
    once: ["info"],
    more: [
      "# If a column distinguishes active customers from others, map it instead:",
      "# customerStatus: { lookup: customerStatus, value: { from: status, map: { A: Active, I: Inactive } } }",
      "customerStatus: { lookup: customerStatus, value: { const: Active } }",
    ],
    deleted: [
      "# A customer is never deleted, because its history depends on it. It becomes inactive.",
      "deleted: { set: { customerStatus: { lookup: customerStatus, value: Inactive } } }",
    ],
  },
  contacts: {
    title: "Contacts",
    resource: "customerContact",
    match: "",
    fields: {},
    once: [],
    more: [],
    deleted: ["# Tickets and service records still refer to people who have left, so contacts stay.", ...stays],
  },
  sites: {
    title: "Sites of customers",
    resource: "customerLocation",
    match: "{ fields: [customer, name, street, zipcode], shared: true }",
    fields: {},
    once: [],
    more: [],
    deleted: stays,
  },
  tickets: {
    title: "Tickets",
    resource: "ticket",
    match: "[erpReferenceNumber]",
    fields: { number: "erpReferenceNumber" },
    once: [],
    more: [
      "# Written only when the ticket is created; afterwards they belong to the service's users. If the ERP should decide,",
      "# map its column as the example of customerStatus above does.",
      "priority: { lookup: priority, value: { const: Normal }, own: create }",
      "ticketStatus: { lookup: ticketStatus, value: { const: Open }, own: create }",
    ],
    deleted: stays,
  },
  orders: {
    title: "Service orders become service records",
    resource: "svcDocument",
    match: "[erpReferenceNumber]",
    fields: { number: "erpReferenceNumber", reference: "referenceNumber" },
    // The service stores this number only at creation. It accepts later changes but ignores them.
    once: ["number"],
    more: [],
    deleted: ["# A service record may contain people's hours, so a person must cancel it.", ...stays],
  },
};

/** The `streams` of a sync file, with the comments that a person needs to complete them. */
export function streamsText(choices: readonly StreamChoice[]): string {
  return `streams:\n${choices.map(streamText).join("\n")}`;
}

function streamText(choice: StreamChoice): string {
  const { kind, columns } = choice;
  const target = targets[kind];
  const fields = parts[kind].flatMap((part) => fieldLines(choice, part.part));
  const lines = [
    `# ── ${target.title}`,
    `${kind}:`,
    "  source: erp",
    ...readLines(choice).map((line) => `  ${line}`),
    `  resource: ${target.resource}`,
    ...matchLines(target, columns),
    ...(kind === "sites" ? ["  # Rows without an address are left out.", `  when: ${quoted(addressed(columns))}`] : []),
    "  fields:",
    ...[...fields, ...target.more].map((line) => `    ${line}`),
    ...deletedLines(choice, target).map((line) => `  ${line}`),
  ];
  return lines.map((line) => `  ${line}\n`).join("");
}

/** With a column that marks deleted rows, these are found by it, and by whatever the source shows itself. */
function deletedLines({ columns }: StreamChoice, { deleted }: Target): readonly string[] {
  const [mark] = columns["deleted"] ?? [];
  if (mark === undefined) return deleted;
  const isActive = isActiveMark(mark);
  const values = isActive ? "['0', 'false', 'n', 'no', 'nein']" : "['1', '-1', 'true', 'y', 'yes', 'j', 'ja', 'x']";
  const when = `$lowercase($string(${path(mark)})) in ${values}`;
  return deleted.flatMap((line) =>
    line.startsWith("deleted: {")
      ? [`# Which values of ${mark} mean this? Correct the list.`, line.replace("{ ", `{ when: ${quoted(when)}, `)]
      : [line],
  );
}

function readLines({ table, columns, outline }: StreamChoice): string[] {
  const { key = [], changed = [] } = columns;
  if (outline.read) {
    const words = Object.entries(outline.read).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
    return [
      "# kind: delta says that a file holds changes alone. If each file holds every record, write full: one that is missing in",
      "# it is then gone. A file is complete once it has not changed for stableFor (30 s).",
      `read: { ${[...words, `key: ${oneOrList(key)}`].join(", ")} }`,
    ];
  }
  const members = [`table: ${word(table)}`, `key: ${oneOrList(key)}`];
  const [stamp] = changed;
  const isVersion = outline.columns.some(({ name, kind }) => name === stamp && kind === "version");
  if (stamp !== undefined)
    members.push(`changed: ${isVersion ? `{ counter: ${word(stamp)}, kind: rowversion }` : word(stamp)}`);
  if (stamp !== undefined && !isVersion) members.push("overlap: 5m");
  if (outline.columns.some(({ kind }) => kind === "binary"))
    members.push(`columns: ${list([...new Set(Object.values(columns).flat())])}`);
  const read = `read: { ${members.join(", ")} }`;
  if (stamp !== undefined) return [read];
  return ["# No column shows what changed, so every poll reads the whole table and compares it.", "every: 5m", read];
}

function matchLines({ match }: Target, columns: ChosenColumns): string[] {
  if (match !== "") return [`  match: ${match}`];
  const byName = "{ fields: [customer, name], compare: normalized, shared: true }";
  const byEmail = "{ fields: [customer, name, email], compare: caseInsensitive }";
  return columns["email"] ? ["  match:", `    - ${byEmail}`, `    - ${byName}`] : ["  match:", `    - ${byName}`];
}

/** An expression that is true for a row with everything that the service requires of a site. */
function addressed(columns: ChosenColumns): string {
  return ["street", "zipcode", "city"]
    .flatMap((part) => columns[part] ?? [])
    .map((name) => `${path(name)} != ''`)
    .join(" and ");
}

function fieldLines(choice: StreamChoice, part: string): string[] {
  const { kind, columns, outline } = choice;
  const chosen = columns[part];
  if (!chosen || part === "deleted") return [];
  if (part === "dueDate") return [`dueDate: { expr: ${quoted(`$utc(${path(chosen[0]!)}, '${templateZone}')`)} }`];
  const { parent, separator } = parts[kind].find((one) => one.part === part)!;
  const { fields, once } = targets[kind];
  const own = once.includes(part) ? ", own: create" : "";
  const name = fields[part] ?? part;
  if (parent) {
    const optional = part === "customer" ? "" : ", optional: true";
    return [`${name}: { ref: ${parent}, key: ${oneOrList(chosen, (one) => word(path(one)))}${optional} }`];
  }
  // Text fields of the service refuse numbers.
  const isNumber = (column: string) => outline.columns.some((one) => one.name === column && one.kind === "number");
  const texts = chosen.map((column) => (isNumber(column) ? `$string(${path(column)})` : path(column)));
  if (texts.length > 1) {
    const joined = `$join([${texts.join(", ")}][$ != ''], ${JSON.stringify(separator ?? " ").replaceAll('"', "'")})`;
    return [`${name}: { expr: ${quoted(joined)}${own} }`];
  }
  const [column = "", text = ""] = [chosen[0], texts[0]];
  if (isNumber(column)) return [`${name}: { expr: ${quoted(text)}${own} }`];
  return [own === "" ? `${name}: ${word(text)}` : `${name}: { from: ${word(text)}${own} }`];
}

/** A column in the syntax of the sync file's paths and expressions. */
function path(name: string): string {
  const isKeyword = /^(and|or|in|true|false|null|function)$/.test(name);
  return /^[A-Za-z_]\w*$/.test(name) && !isKeyword ? name : `\`${name}\``;
}

function oneOrList(names: readonly string[], spell: (name: string) => string = word): string {
  const [only] = names;
  return names.length === 1 && only !== undefined ? spell(only) : `[${names.map(spell).join(", ")}]`;
}

function list(names: readonly string[]): string {
  return `[${names.map(word).join(", ")}]`;
}

/** A text in a form that YAML reads as a text. */
function word(text: string): string {
  const isPlain = /^[A-Za-z_][\w.]*$/.test(text) && !/^(y|n|yes|no|on|off|true|false|null)$/i.test(text);
  return isPlain ? text : quoted(text);
}

function quoted(text: string): string {
  return JSON.stringify(text);
}
