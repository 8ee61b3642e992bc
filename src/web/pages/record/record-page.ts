import { counted, recordLabel, type Binding, type Json, type RecordId } from "#model";
import { actorText, exchangeEnd, meaningOf, recordRemedy } from "#operator";
import { isForgotten, type AuditRecord, type WatchedExchange, type RecordView } from "#store";
import type { RecordDetail } from "../../contract.ts";
import { html, scrollingTable, type Content, type Html } from "#server";
import { actForms } from "../frame/act-form.ts";
import { page, type Frame } from "../frame/layout.ts";
import { joined } from "./records-page.ts";
import { sidesTable } from "./sides-table.ts";
import { changes, shown } from "../frame/values.ts";
import { badge, fact, instant, pathOf, reason, sentence } from "../frame/wording.ts";

export interface RecordPage {
  readonly detail: RecordDetail;
  readonly frame: Frame;
  readonly now: number;
}

/** One record: why it is the way it is. */
export function recordPage({ detail, frame, now }: RecordPage): Html {
  const { record, title = "", history, sides, exchanges } = detail;
  const label = recordLabel(record.id);
  return page({
    title: `svcsync: ${label}`,
    frame,
    main: html`<h1>
        ${label} ${title === "" ? undefined : html`<span class="quiet">${title}</span>`} ${badge(record.state)}
      </h1>
      <p>${meaningOf(record)}</p>
      <div class="card ${record.state}">
        <dl>${facts(detail, now)}</dl>
        <div class="acts">${actForms("record", record.id, detail, frame).map((act) => act.html)}</div>
      </div>
      <h2>From the ERP to the service</h2>
      ${sidesTable(sides, record.applied !== undefined)}
      ${record.binding === undefined || sides.service !== "notAsked" ? undefined : readNow(record)}
      <h2>In the ERP</h2>
      ${record.deleted ? html`<p>Deleted there; this is the last row that was seen.</p>` : undefined}
      ${isForgotten(record) ? html`<p>What it showed was forgotten at a person's request.</p>` : undefined}
      ${record.unreadable && !isForgotten(record) ? html`<p>Its latest row cannot be read; this is the last one that could be.</p>` : undefined}
      ${fieldsTable(record.row)}
      <h2>History</h2>
      ${
        history.length === 0
          ? html`<p>Nothing was written to the service for this record, or its history has been pruned.</p>`
          : scrollingTable(
              ["When", "Action", "Outcome", "What changed"],
              history.map((entry) => historyRow(entry, now)),
              "Writes, failed attempts and decisions, newest first",
            )
      }
      ${
        exchanges.length === 0
          ? undefined
          : html`<h2>Requests and answers</h2>
              ${scrollingTable(
                ["When", "Request", "Answer"],
                exchanges.map((exchange) => exchangeRow(exchange, now)),
                "Recorded while it was watched, newest first",
              )}`
      }`,
  });
}

/** For a record that svcsync does not have: a link to a parent may exist before the parent does. */
export function noRecordPage({ id, frame }: { id: RecordId; frame: Frame }): Html {
  return page({
    title: `svcsync: ${recordLabel(id)}`,
    frame,
    main: html`<h1>${recordLabel(id)}</h1>
      <p>
        No poll has returned this record yet. If other records wait for it, look whether the ERP has it and whether its
        stream reads it.
      </p>`,
  });
}

function facts({ record, obstacles, servicePage }: RecordDetail, now: number): Content {
  const { error, binding, intent } = record;
  const doubts = Object.keys(record.inFlight?.fields ?? {});
  const remedy = recordRemedy(record);
  const details = Object.entries(error?.details ?? {});
  return [
    fact("Reason", error && reason(error)),
    fact(
      "Details",
      details.map(([name, value]) => html`${name}: ${JSON.stringify(value)}<br />`),
    ),
    fact("What to do", remedy === undefined ? undefined : sentence(remedy)),
    fact("Waits for", joined(record.waitsFor)),
    ...obstacles.map((text) => fact("Its stream", sentence(text))),
    fact("Bound to", binding === undefined ? "nothing in the service" : boundTo(binding, servicePage)),
    fact("Last change seen", instant(record.changedAt, now)),
    fact("Version", versions(record)),
    doubts.length === 0
      ? undefined
      : fact(
          "In doubt",
          record.inFlight?.kind === "drift"
            ? `${doubts.join(", ")}: changed in the service; they are sent again`
            : `${doubts.join(", ")}: sent, but svcsync does not know whether they arrived; they are sent again`,
        ),
    record.attempts === 0 ? undefined : fact("Failed attempts", record.attempts),
    fact("Next try", record.dueAt === undefined ? undefined : instant(record.dueAt, now)),
    fact(
      "Creation begun",
      intent &&
        html`${instant(intent.begunAt, now)} in ${intent.resource}; looked for ${counted(intent.looks, "time")}`,
    ),
  ];
}

/** The record of the service, with a link to its page there. */
function boundTo({ resource, serviceId }: Binding, servicePage: string | undefined): Content {
  const label = `${resource} ${serviceId}`;
  return servicePage === undefined ? label : html`<a href="${servicePage}" rel="noreferrer">${label}</a>`;
}

/** A version is the number of a change within its stream. */
function versions({ sequence, appliedSequence }: RecordView): string {
  if (appliedSequence === undefined) return `${sequence}, none is in the service`;
  return sequence === appliedSequence
    ? `${sequence}, which is in the service`
    : `${sequence}; version ${appliedSequence} is in the service`;
}

/** Sends one GET to the service, when a person asks for it. */
function readNow({ id }: RecordView): Html {
  const key = /^\.{0,2}$/.test(id.key) ? html`<input type="hidden" name="key" value="${id.key}" />` : undefined;
  return html`<form action="${pathOf(id).split("?")[0]}">
    ${key}<input type="hidden" name="service" value="now" /><button class="plain">Read it from the service now</button>
  </form>`;
}

function fieldsTable(fields: { readonly [name: string]: Json }): Html {
  return scrollingTable(
    ["Field", "Value"],
    Object.entries(fields).map(
      ([name, value]) =>
        html`<tr>
          <th scope="row">${name}</th>
          <td><span class="value">${shown(value)}</span></td>
        </tr>`,
    ),
    "The row as it was read last",
  );
}

function historyRow(entry: AuditRecord, now: number): Html {
  const answer = [
    entry.status === undefined ? undefined : `status ${entry.status}`,
    entry.durationMs === undefined ? undefined : `${Math.round(entry.durationMs)} ms`,
  ].filter((part) => part !== undefined);
  return html`<tr>
    <td class="number">${instant(entry.at, now)}</td>
    <td>${entry.action} ${entry.resource} ${entry.serviceId}</td>
    <td>
      ${entry.outcome}${entry.by && html`<br /><span class="quiet">${actorText(entry.by)}</span>`}${answer.length === 0 ? undefined : html`<br /><span class="quiet">${answer.join(", ")}</span>`}
    </td>
    <td data-head="What changed">${changes(entry.before, entry.after)}</td>
  </tr>`;
}

function exchangeRow({ at, method, path, sent, answer, durationMs, ...end }: WatchedExchange, now: number): Html {
  return html`<tr>
    <td class="number">${instant(at, now)}</td>
    <td data-head="Request">
      <span class="value">${method} ${path}</span>${sent && html`<br /><span class="value">${sent}</span>`}
    </td>
    <td data-head="Answer">
      ${exchangeEnd(end)}
      <span class="quiet">${Math.round(durationMs)} ms</span
      >${answer && html`<br /><span class="value">${answer}</span>`}
    </td>
  </tr>`;
}
