import type { ReturnStream } from "#mapping";
import type { Json } from "#model";
import { fileWith, load } from "../sample.ts";

export type Words = Record<string, Json>;

/** The report of the design: head, hours, material and travel. */
export const REPORT = {
  resource: "svcDocument",
  to: { source: "erp", table: "svcsync.returns", lines: "svcsync.return_lines" },
  answers: { table: "svcsync.answers" },
  fields: {
    order_no: "erpReferenceNumber",
    customer_no: { keyOf: "customers", id: "customer" },
    finished_at: { expr: "$local(finishedDate, 'Europe/Berlin')" },
  },
  lines: [
    {
      each: "tasks.workLogs",
      kind: "time",
      amount: { expr: "invoiceTime / 3600000", round: 2, remainder: "last" },
      fields: {
        staff_no: { nameOf: "priority", id: "worker", by: "externalErpNumber" },
        article: { nameOf: "tag", id: "task.serviceType", by: "number" },
        remark: "comment",
      },
    },
    { each: "tasks.materials", kind: "material", amount: "amount", fields: { unit: { const: "piece" } } },
    { each: "travelLogs", kind: "travel", amount: { from: "distance", round: 1 } },
  ],
  // oxlint-disable-next-line unicorn/no-thenable -- a word of the sync file
  then: { resource: "invoice", of: "svcDocument", set: { invoiceNumber: "document" } },
};

/** A sync file with this stream of returns; undefined takes a word of the report away. */
export function fileReturning(words: Record<string, unknown>, base: Record<string, unknown> = REPORT): string {
  const file: object = JSON.parse(fileWith({}));
  return JSON.stringify({ ...file, returns: { it: { ...base, ...words } } });
}

export function returnStream(words: Record<string, unknown> = {}, base?: Record<string, unknown>): ReturnStream {
  return load(fileReturning(words, base)).returns[0]!;
}
