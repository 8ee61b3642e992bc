import type { Json, JsonObject, ResourceName } from "#model";
import { RequestRefusal } from "./api/answer.ts";
import { reportOf, type Reports } from "./api/reports.ts";
import { originOf, type Caller, type Tenant } from "./api/tenant.ts";
import { untouchedReport } from "./api/writes.ts";
import type { ReportAction } from "./catalogue/resource.ts";
import type { StoredRecord } from "./records/version.ts";

/** The user under which the ledger shows what people do. */
const PEOPLE: Caller = { account: { username: "people", password: "" }, request: undefined, listLagMs: 0 };
const QUARTER_MS = 900_000;

/** What people do in the web interface of the service, beside the API. */
export class People {
  readonly #tenant: Tenant;
  readonly #reports: Reports;

  constructor(tenant: Tenant, reports: Reports) {
    this.#tenant = tenant;
    this.#reports = reports;
  }

  /** Finishes, approves or cancels a service record. @throws {RequestRefusal} where its state does not allow it. */
  act(id: number, action: ReportAction, body: JsonObject = {}): StoredRecord {
    return this.#reports.act(this.#one("svcDocument", id), action, body, PEOPLE);
  }

  /** Takes an approval back: the invoice record goes, and with it the number. */
  takeBack(id: number): StoredRecord {
    return this.#reports.takeBack(this.#one("svcDocument", id), PEOPLE);
  }

  /** Changes fields of a record, read-only ones too. The edit of a line moves its service record as the tenant does. */
  edit(resource: ResourceName, id: number, values: JsonObject): StoredRecord {
    const record = this.#tenant.restate(resource, this.#one(resource, id), values, values, PEOPLE);
    this.#reports.lineChanged(resource, record, PEOPLE);
    return record;
  }

  add(resource: ResourceName, values: JsonObject): StoredRecord {
    const known = this.#tenant.resource(resource);
    const record: StoredRecord = {
      ...this.#tenant.createStamps(known),
      ...this.#tenant.editStamps(known),
      ...values,
      id: this.#tenant.database.nextId(),
    };
    this.#tenant.database.put(resource, record, { ...originOf(PEOPLE, "create"), sent: values });
    this.#reports.lineChanged(resource, record, PEOPLE);
    return record;
  }

  remove(resource: ResourceName, id: number): void {
    const record = this.#one(resource, id);
    this.#tenant.database.remove(resource, id, originOf(PEOPLE, "delete"));
    this.#reports.lineChanged(resource, record, PEOPLE);
  }

  /** Gives a ticket the status of this name. */
  setStatus(ticket: number, name: string): StoredRecord {
    return this.edit("ticket", ticket, { ticketStatus: this.#named("ticketStatus", name) });
  }

  /**
   * Records work on a service record, as a technician does: a task with two work logs and material, and one journey. Some times and amounts
   * do not divide evenly.
   */
  work(id: number): StoredRecord {
    const started = this.#tenant.now();
    const [first, second] = this.#tenant.database.table("user").rows().slice(-2);
    const task = this.add("svcDocumentTask", {
      svcDocument: id,
      name: "Wartung der Heizungsanlage",
      serviceType: this.#named("serviceType", "Wartung"),
    }).id;
    const log = (worker: number, minutes: number, comment: string) =>
      this.add("svcDocumentTaskWorkLog", { task, started, worker, time: minutes * 60_000, comment });
    log(first!.id, 100, "Brenner gereinigt");
    log(second!.id, 35, "Pumpe getauscht");
    const materialItem = this.#named("materialItem", "Dichtungssatz");
    this.add("svcDocumentTaskMaterial", { task, amount: 2, materialItem, name: "Dichtungssatz" });
    const journey = { started, worker: first!.id, time: 25 * 60_000, distance: 31.4 };
    this.add("svcDocumentTraveLog", {
      svcDocument: id,
      ...journey,
      travelType: this.#named("traveType", "Transporter"),
    });
    const report = this.#one("svcDocument", id);
    return report["personInCharge"] ? report : this.edit("svcDocument", id, { personInCharge: first!.id });
  }

  /** A service record with work, finished and approved. */
  approvedReport(values: JsonObject): StoredRecord {
    const { id } = this.add("svcDocument", { billable: true, ...untouchedReport, ...values });
    this.work(id);
    this.act(id, "finish");
    return this.act(id, "approve");
  }

  /** Changes a line of the report that this record is, or belongs to: a quarter of an hour more, another line, or one less. */
  changeLine(resource: ResourceName, id: number, change: "edit" | "add" | "remove"): void {
    const record = this.#tenant.find(resource, id);
    const report = resource === "svcDocument" ? record : record && reportOf(this.#tenant, resource, record);
    if (report === undefined) return;
    const tasks = this.#tenant.database.table("svcDocumentTask").find("svcDocument", report.id);
    const logs = tasks.flatMap((task) => this.#tenant.database.table("svcDocumentTaskWorkLog").find("task", task.id));
    const last = logs.at(-1)?.version.record;
    if (last === undefined) return;
    const { id: line, ...values } = last;
    if (change === "remove") this.remove("svcDocumentTaskWorkLog", line);
    else if (change === "add") this.add("svcDocumentTaskWorkLog", values);
    else this.edit("svcDocumentTaskWorkLog", line, { time: Number(last["time"]) + QUARTER_MS });
  }

  #one(resource: ResourceName, id: number): StoredRecord {
    const record = this.#tenant.find(resource, id);
    if (record === undefined) throw new RequestRefusal(400, `there is no ${resource} ${id}`);
    return record;
  }

  #named(resource: ResourceName, name: string): Json {
    return this.#tenant.database.table(resource).find("name", name)[0]?.id ?? null;
  }
}
