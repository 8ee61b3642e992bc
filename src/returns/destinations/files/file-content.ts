import { createHash } from "node:crypto";
import type { JsonObject, Return, ReturnValue } from "#model";

/** A file of a return. */
export interface ReturnFile {
  readonly name: string;
  readonly text: string;
  /** How many returns or lines it holds. */
  readonly rows: number;
}

/** What the head says of itself, besides the fields of the sync file. */
interface Own {
  readonly name: string;
  readonly replaces: string | null;
}

/** The files of a return: one JSON document, or the head and the lines as CSV. */
export function filesOf(
  item: Return,
  own: Own,
  base: string,
  format: "csv" | "json",
  columns: { readonly head: readonly string[]; readonly lines: readonly string[] },
): readonly ReturnFile[] {
  const { content } = item;
  const head = headOf(item, own);
  const lines = content.lines.map((line, at) => ({
    own: {
      return_id: own.name,
      line_no: at + 1,
      line_kind: line.kind,
      line_id: line.id,
      change: line.change,
      amount: line.amount,
      amount_before: line.amountBefore,
    },
    fields: line.fields,
  }));
  if (format === "json") {
    const document = {
      ...head,
      fields: content.fields,
      lines: lines.map((line) => ({ ...line.own, fields: line.fields })),
    };
    return [{ name: `${base}.json`, text: `${JSON.stringify(document, undefined, 2)}\n`, rows: 1 }];
  }
  const lineNames = ["return_id", "line_no", "line_kind", "line_id", "change", "amount", "amount_before"];
  return [
    {
      name: `${base}.lines.csv`,
      text: csv(
        [...lineNames, ...columns.lines],
        lines.map((line) => ({ ...line.fields, ...line.own })),
      ),
      rows: lines.length,
    },
    {
      name: `${base}.csv`,
      text: csv([...Object.keys(head), ...columns.head], [{ ...content.fields, ...head }]),
      rows: 1,
    },
  ];
}

function headOf({ stream, subject, version, serviceId, kind, content, hash }: Return, own: Own) {
  return {
    return_id: own.name,
    stream,
    record_key: subject,
    service_id: serviceId ?? null,
    version,
    kind,
    replaces: own.replaces,
    line_count: content.lines.length,
    content_hash: hash,
  };
}

/** What tells the ERP that all files are there, and as they were written. */
export function manifestOf(item: Return, own: Own, files: readonly ReturnFile[]): JsonObject {
  return {
    ...headOf(item, own),
    files: files.map(({ name, text, rows }) => ({
      name,
      rows,
      bytes: Buffer.byteLength(text),
      sha256: createHash("sha256").update(text).digest("hex"),
    })),
  };
}

/** CSV with semicolons and a head. NULL is an empty cell, and an empty text is "". */
function csv(names: readonly string[], rows: readonly Readonly<Record<string, ReturnValue>>[]): string {
  const lines = [names.map(cell), ...rows.map((row) => names.map((name) => cell(row[name] ?? null)))];
  return lines.map((cells) => `${cells.join(";")}\n`).join("");
}

function cell(value: ReturnValue): string {
  if (value === null) return "";
  const text = String(value);
  return text === "" || /[";\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
