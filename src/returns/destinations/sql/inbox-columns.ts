import type { ReturnStream } from "#mapping";

/** What of a stream concerns its inbox. */
export type InboxStream = Pick<ReturnStream, "name" | "kind" | "to" | "answers" | "columns"> & {
  readonly lines: readonly Pick<ReturnStream["lines"][number], "columns">[];
};

/** What a column of svcsync's own holds. `amount`: a decimal with four digits behind the point. */
export type OwnKind = "text" | "integer" | "amount" | "moment";

export interface OwnColumn {
  readonly name: string;
  readonly kind: OwnKind;
  /** Of a text, in characters. */
  readonly length?: number;
  /** False: may be NULL. */
  readonly isFilled: boolean;
}

/** The longest name of a return. */
const NAME = 120;
/** The longest name of a `state`, which holds the ERP's key. */
const STATE_NAME = 255;
const KEY = 190;

const text = (name: string, length?: number): OwnColumn => ({
  name,
  kind: "text",
  isFilled: true,
  ...(length === undefined ? {} : { length }),
});
const integer = (name: string): OwnColumn => ({ name, kind: "integer", isFilled: true });
const maybe = (column: OwnColumn): OwnColumn => ({ ...column, isFilled: false });

/** The column that a stream's subjects are in: the service id, or the ERP's key. */
export function subjectColumn({ kind }: Pick<InboxStream, "kind">): "service_id" | "record_key" {
  return kind === "state" ? "record_key" : "service_id";
}

/** The columns of a head that svcsync fills, besides those of the sync file. */
export function headColumns({ kind }: Pick<InboxStream, "kind">): readonly OwnColumn[] {
  const isState = kind === "state";
  const length = isState ? STATE_NAME : NAME;
  return [
    text("return_id", length),
    text("stream", 40),
    ...(isState ? [text("record_key", KEY), maybe(integer("service_id"))] : [integer("service_id")]),
    integer("version"),
    text("kind", 12),
    maybe(text("replaces", length)),
    ...(isState ? [] : [integer("line_count")]),
    text("content_hash", 64),
    maybe(text("payload")),
  ];
}

export const lineColumns: readonly OwnColumn[] = [
  text("return_id", NAME),
  integer("line_no"),
  text("line_kind", 12),
  integer("line_id"),
  text("change", 8),
  maybe({ name: "amount", kind: "amount", isFilled: true }),
  maybe({ name: "amount_before", kind: "amount", isFilled: true }),
];

export const answerColumns: readonly OwnColumn[] = [
  text("return_id", NAME),
  text("result", 8),
  maybe(text("document", 60)),
  maybe(text("message", 2000)),
  { name: "answered_at", kind: "moment", isFilled: true },
];

/** The columns of the lines that the sync file names. */
export function namedLineColumns({ lines }: Pick<InboxStream, "lines">): readonly string[] {
  return [...new Set(lines.flatMap(({ columns }) => columns))];
}
