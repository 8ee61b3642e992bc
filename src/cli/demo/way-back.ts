import { inboxDdl } from "#returns";
import type { SyncFile } from "#mapping";
import type { SampleErp, Sandbox } from "#sandbox";
import type { LiveChange } from "./live-changes.ts";
import type { ServiceReader } from "./service-reader.ts";

/** What an integrator adds to the sync file, so that finished work goes back to the ERP. */
export const WAY_BACK = `
returns:
  reports:
    resource: svcDocument
    every: 1s
    to: { source: erp, table: svcsync_returns, lines: svcsync_return_lines }
    answers: { table: svcsync_answers }
    fields:
      order_no: erpReferenceNumber
      customer_no: { keyOf: customers, id: customer }
    lines:
      - each: tasks.workLogs
        kind: time
        amount: { expr: "invoiceTime / 3600000", round: 2, remainder: last }
        fields: { staff_no: { nameOf: user, id: worker, by: externalErpNumber }, remark: comment }
      - each: tasks.materials
        kind: material
        amount: amount
        fields: { article: { nameOf: materialItem, id: materialItem, by: number } }
      - { each: travelLogs, kind: travel, amount: distance }
    then: { resource: invoice, of: svcDocument, set: { invoiceNumber: document } }
`;

/** The number under which the sample ERP books the report. */
const DOCUMENT = "RE-2026-0815";

/** Creates the inbox in the ERP, as its administrator does. */
export function openInbox(erp: SampleErp, { returns }: Pick<SyncFile, "returns">): void {
  erp.run(inboxDdl("sqlite", returns));
}

/** A report comes back: people finish and approve an order in the service, and the ERP books it. */
export function wayBack(erp: SampleErp, people: Sandbox["people"], service: ServiceReader): LiveChange {
  const order = erp.all("service_orders").find(({ deleted, billable }) => !deleted && billable)!;
  let report: unknown;
  let booked: ReturnType<SampleErp["book"]>;
  return {
    what: `the work on order ${order.order_no} is finished and approved in the service`,
    async make() {
      const found = (await service.all("svcDocument")).find((one) => one["erpReferenceNumber"] === order.order_no);
      report = found?.["id"];
      if (typeof report !== "number") return;
      people.work(report);
      people.act(report, "finish");
      people.act(report, "approve");
    },
    async seen() {
      booked ??= erp.book(DOCUMENT);
      const invoice = (await service.all("invoice")).find((one) => one["svcDocument"] === report);
      if (booked === undefined || invoice?.["invoiceNumber"] !== DOCUMENT) return undefined;
      return `the ERP got ${booked.lines} lines (${booked.hours} h), booked them as ${DOCUMENT}, and the invoice has that number`;
    },
  };
}
