import { parsedJson, type Json } from "#model";
import { html, type Html } from "#server";
import { RequestRefusal } from "../api/answer.ts";
import type { Tenant } from "../api/tenant.ts";
import type { People } from "../people.ts";
import type { StoredRecord } from "../records/version.ts";

interface Form {
  readonly resource: string;
  readonly id: number;
  readonly field: string;
  readonly value: string;
}

/** What people do with a record, by the last part of the address. */
const ACTS: Readonly<Record<string, (people: People, form: Form) => unknown>> = {
  work: (people, { id }) => people.work(id),
  finish: (people, { id }) => people.act(id, "finish"),
  approve: (people, { id }) => people.act(id, "approve"),
  "take-back": (people, { id }) => people.takeBack(id),
  cancel: (people, { id }) => people.act(id, "cancel"),
  status: (people, { id, value }) => people.setStatus(id, value),
  edit: (people, { resource, id, field, value }) => people.edit(resource, id, { [field]: valueOf(value) }),
  remove: (people, { resource, id }) => people.remove(resource, id),
};

export function formOf(body: Readonly<Record<string, unknown>>): Form {
  const { resource, id, field, value } = body;
  return { resource: textIn(resource), id: Number(textIn(id)), field: textIn(field), value: textIn(value) };
}

/** @throws {RequestRefusal} for an unknown act or record, and where the record's state does not allow it. */
export function peopleAct(people: People, act: string, form: Form): void {
  const run = ACTS[act];
  if (run === undefined) throw new RequestRefusal(400, `people cannot ${act}`);
  run(people, form);
}

/** The buttons for what people can do with this record. */
export function peopleForms(tenant: Tenant, resource: string, record: StoredRecord | undefined): Html | undefined {
  if (record === undefined) return undefined;
  const acts = resource === "svcDocument" ? REPORT_ACTS : [];
  const statuses = resource === "ticket" ? tenant.database.table("ticketStatus").rows() : [];
  const target = html`<input type="hidden" name="resource" value="${resource}" />
    <input type="hidden" name="id" value="${record.id}" />`;
  return html`<div class="acts">
    ${acts.map(
      ([act, label]) =>
        html`<form method="post" action="/__sandbox/people/${act}">${target}<button>${label}</button></form>`,
    )}
    ${statuses.map(({ version }) => {
      const name = textIn(version.record?.["name"]);
      return html`<form method="post" action="/__sandbox/people/status">
        ${target}<button name="value" value="${name}">Set to ${name}</button>
      </form>`;
    })}
    <form method="post" action="/__sandbox/people/edit">
      ${target}<input name="field" aria-label="Field" placeholder="field" required />
      <input name="value" aria-label="Value" placeholder="value" /> <button>Change</button>
    </form>
    <form method="post" action="/__sandbox/people/remove">${target}<button>Delete</button></form>
  </div>`;
}

const REPORT_ACTS = [
  ["work", "Record work"],
  ["finish", "Finish"],
  ["approve", "Approve"],
  ["take-back", "Take the approval back"],
  ["cancel", "Cancel"],
] as const;

function valueOf(text: string): Json {
  const value = parsedJson(text);
  return value === undefined ? text : value;
}

function textIn(value: unknown): string {
  return typeof value === "string" ? value : "";
}
