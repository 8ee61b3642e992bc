import type { Json, JsonObject, ResourceName } from "#model";
import type { ReportAction } from "../catalogue/resource.ts";
import type { StoredRecord } from "../records/version.ts";
import { RequestRefusal } from "./answer.ts";
import { originOf, type Caller, type Tenant } from "./tenant.ts";

/** An approved record whose invoice record is still to be made. */
interface Due {
  readonly report: number;
  readonly at: number;
  readonly caller: Caller;
}

/** What becomes of service records: finished, approved, cancelled; and the invoice record of each approved, billable one. */
export class Reports {
  readonly #tenant: Tenant;
  #due: Due[] = [];

  constructor(tenant: Tenant) {
    this.#tenant = tenant;
  }

  /** @throws {RequestRefusal} 400 where the record's state does not allow it; always for `invoice`. */
  act(report: StoredRecord, action: ReportAction, body: JsonObject, caller: Caller): StoredRecord {
    const now = this.#tenant.now();
    switch (action) {
      case "invoice":
        throw new RequestRefusal(400, "Unknown error");
      case "releaseDraft":
        expect(report["drafted"] === true, "the document is no draft");
        return this.#write(report, { drafted: false, releasedDate: now }, body, caller);
      case "preFinish":
        this.#expectWork(report, body);
        return this.#write(report, { preFinished: true }, body, caller);
      case "finish":
        this.#expectWork(report, body);
        expect(this.#isPerson(report["personInCharge"]), "a person must be in charge");
        return this.#write(report, { finished: true, finishedDate: now, preFinished: true }, body, caller);
      case "approve":
        return this.#approve(report, body, now, caller);
      case "cancel":
        expect(report["canceled"] !== true, "the document is canceled");
        return this.#write(report, { canceled: true, canceledDate: now }, body, caller);
    }
  }

  /**
   * Takes an approval back, as people can in the web interface. An approved record alone has an invoice record: it goes, and with it the
   * number.
   */
  takeBack(report: StoredRecord, caller: Caller): StoredRecord {
    expect(report["approved"] === true, "the document is not approved");
    this.#due = this.#due.filter((due) => due.report !== report.id);
    for (const invoice of this.#invoices(report.id))
      this.#tenant.database.remove("invoice", invoice.id, originOf(caller, "delete"));
    const former = { approved: false, approvedDate: null, approvedComment: null, canChangeDocument: true };
    return this.#write(report, { ...former, invoiceNumber: null }, {}, caller);
  }

  /** Makes the invoice records that are due. */
  bill(): void {
    if (this.#due.length === 0) return;
    const now = this.#tenant.clock.now();
    const due = this.#due.filter(({ at }) => at <= now);
    this.#due = this.#due.filter(({ at }) => at > now);
    for (const { report, caller } of due) {
      if (this.#invoices(report).length > 0) continue;
      const id = this.#tenant.database.nextId();
      const values = { invoiceNumber: null, billable: true, svcDocument: report, status: "OPEN" };
      this.#tenant.database.put("invoice", { id, ...values }, originOf(caller, "create"));
    }
  }

  /** The number of an invoice shows on its service record. */
  showNumber(invoice: StoredRecord, caller: Caller): void {
    const report = this.#tenant.find("svcDocument", Number(invoice["svcDocument"]));
    const invoiceNumber = invoice["invoiceNumber"] ?? null;
    if (report === undefined || report["invoiceNumber"] === invoiceNumber) return;
    this.#write(report, { invoiceNumber }, {}, caller);
  }

  /** A line was written: whether that changes the stamps of its service record depends on the tenant. */
  lineChanged(resource: ResourceName, line: StoredRecord, caller: Caller): void {
    if (this.#tenant.switches.lineEdits === "silent") return;
    const report = reportOf(this.#tenant, resource, line);
    if (report !== undefined) this.#write(report, {}, {}, caller);
  }

  #approve(report: StoredRecord, body: JsonObject, now: string, caller: Caller): StoredRecord {
    expect(report["finished"] === true && report["canceled"] !== true, "only a finished document can be approved");
    expect(report["approved"] !== true, "the document is approved");
    const { billable = report["billable"] ?? null, approvedComment = null } = body;
    const values = { approved: true, approvedDate: now, approvedComment, billable, canChangeDocument: false };
    const approved = this.#write(report, values, body, caller);
    if (billable === true)
      this.#due.push({
        report: report.id,
        at: this.#tenant.clock.now() + this.#tenant.switches.invoiceDelayMs,
        caller,
      });
    this.bill();
    return approved;
  }

  #expectWork(report: StoredRecord, { pin }: JsonObject): void {
    expect(report["drafted"] !== true, "the document is a draft");
    expect(report["finished"] !== true && report["canceled"] !== true, "the document is finished or canceled");
    expect(report["needFinishPin"] !== true || pin === report["finishPin"], "wrong pin");
  }

  #isPerson(id: Json | undefined): boolean {
    return typeof id === "number" && this.#tenant.find("user", id) !== undefined;
  }

  #invoices(report: number): StoredRecord[] {
    return this.#tenant.database
      .table("invoice")
      .find("svcDocument", report)
      .flatMap(({ version }) => version.record ?? []);
  }

  #write(report: StoredRecord, values: JsonObject, sent: JsonObject, caller: Caller): StoredRecord {
    return this.#tenant.restate("svcDocument", report, values, sent, caller);
  }
}

/** The state of an invoice that this edit leaves. */
export function invoiceStatus({ invoiceNumber, billable }: Readonly<Record<string, Json>>): string {
  if (typeof invoiceNumber === "string" && invoiceNumber !== "") return "INVOICED";
  return billable === false ? "NOT_INVOICED" : "OPEN";
}

/** The service record that a line, or a task, belongs to; undefined for other records. */
export function reportOf(tenant: Tenant, resource: ResourceName, line: StoredRecord): StoredRecord | undefined {
  if (!resource.startsWith("svcDocumentT")) return undefined;
  const task = tenant.find("svcDocumentTask", Number(line["task"]));
  return tenant.find("svcDocument", Number((task ?? line)["svcDocument"]));
}

function expect(holds: boolean, otherwise: string): void {
  if (!holds) throw new RequestRefusal(400, otherwise);
}
