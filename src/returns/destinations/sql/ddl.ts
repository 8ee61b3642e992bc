import { ParkError } from "#model";
import { quotedName, type SqlDialect } from "#sources";
import { ddlWords, namedType, ownType, type DdlWords } from "./ddl-words.ts";
import {
  answerColumns,
  headColumns,
  lineColumns,
  namedLineColumns,
  subjectColumn,
  type InboxStream,
  type OwnColumn,
} from "./inbox-columns.ts";

/** The only one of svcsync's column names that is a word of SQL. */
const RESERVED = "change";

const JOB_RIGHTS = `-- The user of the ERP's job, unless it owns these tables, needs: the use of their schema, SELECT on all of them and on the view, and INSERT on the
-- answers. Where several jobs lock rows (FOR UPDATE), also UPDATE on the heads.`;

/** A table that several streams may share. */
interface Planned {
  readonly own: readonly OwnColumn[];
  readonly keys: readonly (readonly string[])[];
  readonly named: Set<string>;
  readonly streams: InboxStream[];
}

/**
 * The statements that make the inbox of these streams, for the person who administers the ERP's database: tables, views, the rights of
 * svcsync's user, and as a comment a sample of the ERP's job.
 * @throws {ParkError} E_RETURN_INBOX when a table is meant to be two things.
 */
export function inboxDdl(dialect: SqlDialect, streams: readonly InboxStream[]): string {
  const words = ddlWords[dialect];
  const name = (text: string) => quotedName(text, dialect);
  const heads = new Map<string, Planned>();
  const lines = new Map<string, Planned>();
  const answers = new Map<string, Planned>();
  for (const stream of streams) {
    const { to } = stream;
    if (to.table === undefined) continue;
    const keys = [["return_id"], ["stream", subjectColumn(stream), "version"]];
    plan(heads, to.table, { own: headColumns(stream), keys, named: stream.columns }, stream);
    if (to.lines !== undefined)
      plan(
        lines,
        to.lines,
        { own: lineColumns, keys: [["return_id", "line_no"]], named: namedLineColumns(stream) },
        stream,
      );
    const said = stream.answers?.table;
    if (said !== undefined) plan(answers, said, { own: answersOf(stream), keys: [["return_id"]], named: [] }, stream);
  }
  const tables = [...heads, ...lines, ...answers];
  expectOnce(tables.map(([table]) => table));
  const schemas = [
    ...new Set(tables.flatMap(([table]) => (table.includes(".") ? [table.slice(0, table.lastIndexOf("."))] : []))),
  ];
  return [
    head(words.title),
    ...schemas.map((schema) => words.schema(name(schema))),
    ...[...heads].map(([table, planned]) =>
      statement(words, dialect, table, planned, `written_at ${words.moment} not null default ${words.now}`),
    ),
    ...[...lines].map(([table, planned]) => statement(words, dialect, table, planned)),
    "-- The ERP's answers. svcsync only reads them.",
    ...[...answers].map(([table, planned]) => statement(words, dialect, table, planned)),
    ...[...heads].flatMap(([table, planned]) => views(words, dialect, table, planned)),
    "-- The rights of svcsync's user. It never changes or deletes a row.",
    ...words.grants({
      adds: [...heads.keys(), ...lines.keys()].map(name),
      reads: [...answers.keys()].map(name),
      schemas: schemas.map(name),
    }),
    JOB_RIGHTS,
    ...[...heads].flatMap(([table, { streams: of }]) => sampleJob(words, dialect, table, of)),
    "",
  ].join("\n\n");
}

function plan(
  into: Map<string, Planned>,
  table: string,
  { own, keys, named }: { own: readonly OwnColumn[]; keys: Planned["keys"]; named: readonly string[] },
  stream: InboxStream,
): void {
  const known = into.get(table) ?? { own, keys, named: new Set<string>(), streams: [] };
  if (known.own.some(({ name }, at) => name !== own[at]?.name))
    throw new ParkError(
      "E_RETURN_INBOX",
      `${table} is the table of a state and of other streams: name one table for each`,
    );
  for (const column of named) known.named.add(column);
  known.streams.push(stream);
  into.set(table, known);
}

function answersOf(stream: InboxStream): readonly OwnColumn[] {
  const [id] = headColumns(stream);
  return answerColumns.map((column) => (column.name === "return_id" ? { ...column, ...id } : column));
}

function expectOnce(tables: readonly string[]): void {
  const twice = tables.find((table, at) => tables.indexOf(table) !== at);
  if (twice !== undefined)
    throw new ParkError(
      "E_RETURN_INBOX",
      `${twice} is named for two things: heads, lines and answers are three tables`,
    );
}

function head(title: string): string {
  return `-- The inbox through which svcsync hands over what the service knows, for ${title}.
--
-- The columns that the sync file names are texts here. Give them the types that the ERP wants (a date, a decimal, a longer text): svcsync writes
-- a value exactly, or says which column it does not fit. More columns are fine if they may be NULL or have a default.`;
}

function statement(
  words: DdlWords,
  dialect: SqlDialect,
  table: string,
  { own, keys, named }: Planned,
  more?: string,
): string {
  const column = (name: string) => (name === RESERVED ? quotedName(name, dialect) : name);
  const [primary = [], ...unique] = keys;
  return `create table ${quotedName(table, dialect)} (\n${[
    ...own.map((one) => `${column(one.name)} ${ownType(words, one)}${one.isFilled ? " not null" : " null"}`),
    ...[...named].map((one) => `${quotedName(one, dialect)} ${namedType(words)} null`),
    ...(more === undefined ? [] : [more]),
    `primary key (${primary.join(", ")})`,
    ...unique.map((key) => `unique (${key.join(", ")})`),
  ]
    .map((line) => `  ${line}`)
    .join(",\n")}\n)${words.end}`;
}

/** The view of what the ERP has not answered, and for states that of the newest. */
function views(words: DdlWords, dialect: SqlDialect, table: string, { streams }: Planned): string[] {
  const from = quotedName(table, dialect);
  const asked = new Map<string, InboxStream[]>();
  for (const stream of streams)
    if (stream.answers?.table !== undefined)
      asked.set(stream.answers.table, [...(asked.get(stream.answers.table) ?? []), stream]);
  const open = [...asked].map(([answers, of]) => {
    const names = of.map(({ name }) => `'${name.replaceAll("'", "''")}'`).join(", ");
    const which = of.length === streams.length ? "" : ` and r.stream in (${names})`;
    const view = asked.size === 1 ? openView(table) : `${openView(table)}_${of[0]?.name ?? ""}`;
    return `-- What the ERP has not answered. Its job reads this, never "what came after my last": a late commit would be missed.
create view ${quotedName(view, dialect)} as
  select r.* from ${from} r left join ${quotedName(answers, dialect)} a on a.return_id = r.return_id
  where a.return_id is null${which}${words.end}`;
  });
  if (!streams.some(({ kind }) => kind === "state")) return open;
  return [
    ...open,
    `-- The newest state of each record.
create view ${quotedName(`${table}_newest`, dialect)} as
  select s.* from ${from} s where s.version =
    (select max(n.version) from ${from} n where n.stream = s.stream and n.record_key = s.record_key)${words.end}`,
  ];
}

/** `svcsync_open` for `svcsync_returns`, else the table's name with an ending. */
export function openView(table: string): string {
  const ending = "returns";
  return table.endsWith(ending) ? `${table.slice(0, -ending.length)}open` : `${table}_open`;
}

function sampleJob(words: DdlWords, dialect: SqlDialect, table: string, streams: readonly InboxStream[]): string[] {
  const [stream] = streams.filter(({ answers }) => answers?.table !== undefined);
  if (stream === undefined) return [];
  const subject = subjectColumn(stream);
  const lines =
    stream.to.lines === undefined
      ? []
      : [`select * from ${quotedName(stream.to.lines, dialect)} where return_id = :id order by line_no;`];
  const steps = [
    "A sample of the ERP's job. It takes one return after the other, each in one transaction with the ERP's own booking:",
    "",
    words.first(`select * from ${quotedName(openView(table), dialect)} order by stream, ${subject}, version`) + ";",
    ...lines,
    "Book it. kind = 'fact': new. 'correction': replaces the return in the column replaces; change in each line tells added, changed, removed or same. 'cancelled': reverse it.",
    `insert into ${quotedName(stream.answers?.table ?? "", dialect)} (return_id, result, document, message, answered_at)`,
    `  values (:id, 'ok', 'RE-10023', null, ${words.now});`,
    "Or, with the reason that svcsync's users see: values (:id, 'refused', null, 'unknown article 4711', …)",
    "commit;",
    "",
    "Run only one such job at a time. Never read rows that are not committed (NOLOCK). Keep answered rows for some weeks before you delete them,",
    "a head together with its lines: after a cut connection svcsync looks whether a return is there.",
  ];
  return [steps.map((line) => `-- ${line}`.trimEnd()).join("\n")];
}
