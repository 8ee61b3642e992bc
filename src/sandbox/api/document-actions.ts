import { Refusal, refused, type Answer } from "./answer.ts";
import { clone, setValues, type ActionCall, type Workshop } from "./workshop.ts";

/** The steps of a service record: draft, open, pre-finished, finished, approved, invoiced; or canceled. */
export function documentAction(workshop: Workshop, call: ActionCall): Answer | undefined {
  const { tenant } = workshop;
  const now = tenant.now();
  switch (call.name) {
    case "PUT releaseDraft":
      must(call.record["drafted"] === true, "the record is no draft");
      return setValues(workshop, call, { drafted: false, releasedDate: now });
    case "PUT preFinish":
      mustBeOpen(call);
      return setValues(workshop, call, { preFinished: true });
    case "PUT finish":
      mustBeOpen(call);
      must(tenant.find("user", Number(call.record["personInCharge"])) !== undefined, "a person must be in charge");
      must(call.record["needFinishPin"] !== true || call.body["pin"] !== undefined, "pin is required");
      return setValues(workshop, call, { finished: true, finishedDate: now, canChangeDocument: false });
    case "PUT approve":
      return approve(workshop, call, now);
    case "PUT cancel":
      must(call.record["approved"] !== true, "an approved record cannot be canceled");
      return setValues(workshop, call, { canceled: true, canceledDate: now, canChangeDocument: false });
    case "PUT cancelAndClone":
      must(call.record["approved"] !== true, "an approved record cannot be canceled");
      setValues(workshop, call, { canceled: true, canceledDate: now, canChangeDocument: false });
      return clone(workshop, call);
    case "PUT clone":
      return clone(workshop, call);
    case "PUT invoice":
      return refused(400, "Unknown error");
    default:
      return undefined;
  }
}

/** Approving makes exactly one invoice of a billable record. */
function approve(workshop: Workshop, call: ActionCall, now: string): Answer {
  const { tenant } = workshop;
  const { record, body, caller } = call;
  must(record["finished"] === true, "the record is not finished");
  must(record["approved"] !== true, "the record is approved already");
  const billable = typeof body["billable"] === "boolean" ? body["billable"] : record["billable"] === true;
  const comment = typeof body["approvedComment"] === "string" ? body["approvedComment"] : null;
  const answer = setValues(workshop, call, { approved: true, approvedDate: now, approvedComment: comment, billable });
  if (billable) {
    const invoice = {
      id: tenant.database.nextId(),
      invoiceNumber: null,
      billable,
      svcDocument: record.id,
      status: "OPEN",
    };
    tenant.database.put("invoice", invoice, { action: "create", request: caller.request });
  }
  return answer;
}

function mustBeOpen({ record }: ActionCall): void {
  must(record["drafted"] !== true, "the record is a draft");
  must(record["canceled"] !== true, "the record is canceled");
  must(record["finished"] !== true, "the record is finished already");
}

function must(condition: boolean, message: string): void {
  if (!condition) throw new Refusal(400, message);
}
