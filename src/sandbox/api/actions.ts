import type { JsonObject } from "#model";
import type { Resource } from "../catalogue/resource.ts";
import type { StoredRecord } from "../records/version.ts";
import { Refusal, json, nothing, refused, type Answer } from "./answer.ts";
import { documentAction } from "./document-actions.ts";
import type { Caller } from "./tenant.ts";
import { clone, setValues, type ActionCall, type Workshop } from "./workshop.ts";

/** Undefined where the record has no such action. */
export function runAction(workshop: Workshop, call: ActionCall): Answer | undefined {
  switch (call.resource.name) {
    case "svcDocument":
      return documentAction(workshop, call);
    case "ticket":
      return ticketAction(workshop, call);
    case "customerContact":
    case "customerObject":
      return call.name === "PUT move" ? move(workshop, call) : undefined;
    case "svcDocumentTemplate":
      if (call.name !== `GET createPayloadFor${workshop.tenant.resource("svcDocument").wire.replace(/^./, upper)}`)
        return undefined;
      return json(templateFields(call.record));
    default:
      return undefined;
  }
}

/** `POST /<resource>/fromTemplate`: the template's fields, and of those that were sent the few that are honoured. */
export function createFromTemplate(
  { tenant, writes }: Workshop,
  resource: Resource,
  body: JsonObject,
  fields: string | null,
  caller: Caller,
): Answer {
  const templates = { ticket: "ticketTemplate", svcDocument: "svcDocumentTemplate" }[resource.name];
  if (templates === undefined) throw new Refusal(404, `${resource.wire} has no templates`);
  const { templateId, templateName, ...sent } = body;
  if (templateId === undefined && templateName === undefined)
    throw new Refusal(400, "You must specify a templateId or a templateName");
  if (resource.name === "svcDocument" && sent["ticket"] !== undefined) throw new Refusal(400, "Unknown error");
  const table = tenant.database.table(templates);
  const row =
    typeof templateId === "number"
      ? table.get(templateId)
      : table.find("name", typeof templateName === "string" ? templateName : "")[0];
  if (row?.version.record === undefined) throw new Refusal(400, "the template does not exist");
  const { erpReferenceNumber: _reference, billable: _billable, ...honoured } = sent;
  const record = writes.insert(resource, { ...templateFields(row.version.record), ...honoured }, caller);
  return writes.answerCreated(resource, record, fields);
}

function ticketAction(workshop: Workshop, call: ActionCall): Answer | undefined {
  const { tenant, writes } = workshop;
  const { record, body, caller } = call;
  switch (call.name) {
    case "PUT clone":
      return clone(workshop, call);
    case "PUT merge": {
      const source = tenant.find("ticket", Number(call.argument), caller.account);
      if (source === undefined || source.id === record.id)
        throw new Refusal(400, `ticket ${call.argument} does not exist`);
      setValues(workshop, { ...call, record: source }, { mergedToTicket: record.id });
      return nothing(200);
    }
    case "GET isMerged": {
      const target = typeof record["mergedToTicket"] === "number" ? record["mergedToTicket"] : null;
      return json({ merged: target !== null, mergedToTicketId: target, actualTicketId: target ?? record.id });
    }
    case "PUT finishExternalSla":
      return json({ id: writes.change(call.resource, record, body, caller).id });
    case "POST poke":
    case "POST reply":
    case "POST forward": {
      const message = writes.insert(tenant.resource("ticketMessage"), { ...body, ticket: record.id }, caller);
      return json({ id: message.id });
    }
    default:
      return undefined;
  }
}

/** The one way to give a contact or an object to another customer. */
function move(workshop: Workshop, call: ActionCall): Answer {
  const { customer, customerLocation = null } = call.body;
  const { tenant } = workshop;
  if (typeof customer !== "number" || !tenant.find("customer", customer))
    return refused(400, `customer ${JSON.stringify(customer ?? null)} does not exist`);
  if (customerLocation !== null && !tenant.find("customerLocation", Number(customerLocation)))
    return refused(400, `customerLocation ${JSON.stringify(customerLocation)} does not exist`);
  return setValues(workshop, call, { customer, customerLocation });
}

function templateFields({
  id: _id,
  name: _name,
  created: _created,
  modified: _modified,
  ...fields
}: StoredRecord): JsonObject {
  return { ...fields };
}

const upper = (letter: string): string => letter.toUpperCase();
