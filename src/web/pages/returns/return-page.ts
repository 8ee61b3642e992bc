import type { ReturnContent } from "#model";
import { actorText, lineAmount, shownLineColumns, remedyOf, returnLabel, returnMeaning, returnValue } from "#operator";
import { html, scrollingTable, type Content, type Html } from "#server";
import type { AuditRecord, StoredReturn } from "#store";
import type { ReturnDetail } from "../../contract.ts";
import { actForms } from "../frame/act-form.ts";
import { page, type Frame } from "../frame/layout.ts";
import { badge, fact, instant, linkTo, reason, returnPath, returnsPath, sentence } from "../frame/wording.ts";

export interface ReturnPage {
  readonly detail: ReturnDetail;
  readonly frame: Frame;
  readonly now: number;
}

/** One return: what it says, what the ERP answered, and what may be done. */
export function returnPage({ detail, frame, now }: ReturnPage): Html {
  const { item, versions, history } = detail;
  const label = returnLabel(item);
  return page({
    title: `svcsync: ${label}`,
    frame,
    main: html`<h1>${label} ${badge(item.state)}</h1>
      <p>${returnMeaning(item)}</p>
      <div class="card ${item.state}">
        <dl>${facts(detail, now)}</dl>
        <div class="acts">${actForms("return", item, item, frame).map((act) => act.html)}</div>
      </div>
      <h2>What it says</h2>
      ${content(item.content)} ${versions.length < 2 ? undefined : versionsTable(versions, now)}
      ${history.length === 0 ? undefined : historyTable(history, now)}`,
  });
}

function facts({ item, record }: ReturnDetail, now: number): Content {
  const { answer, error, attempts } = item;
  return [
    fact("Stream", html`<a href="${returnsPath({ stream: item.stream })}">${item.stream}</a>`),
    fact("Kind", item.kind),
    fact("Reason", error && reason(error)),
    fact("What to do", error && sentence(remedyOf(error, { stream: item.stream, key: item.subject }))),
    fact("The ERP's answer", answer && answerText(answer, now)),
    fact("Prepared", instant(item.preparedAt, now)),
    fact("Handed over", item.deliveredAt === undefined ? undefined : instant(item.deliveredAt, now)),
    fact("Replaces", item.replaces === undefined ? undefined : versionLink({ ...item, version: item.replaces })),
    fact("Service id", item.serviceId),
    fact("Record of the ERP", record && linkTo(record)),
    fact("Failed attempts", attempts === 0 ? undefined : attempts),
    fact("Next try", attempts === 0 ? undefined : instant(item.dueAt, now)),
    fact("Content hash", item.hash === "" ? undefined : html`<code>${item.hash}</code>`),
  ];
}

function answerText({ result, document, message, at }: NonNullable<StoredReturn["answer"]>, now: number): Html {
  return html`${result}${document === undefined ? undefined : `, document ${document}`}${message === undefined ? undefined : `: ${message}`},
  ${instant(at, now)}`;
}

function content(said: ReturnContent): Html {
  const fields = Object.entries(said.fields);
  if (fields.length === 0 && said.lines.length === 0)
    return html`<p>Nothing yet, or it was emptied since it is needed no more.</p>`;
  const columns = shownLineColumns(said);
  return html`${scrollingTable(
    ["Column", "Value"],
    fields.map(
      ([name, value]) =>
        html`<tr>
          <th scope="row">${name}</th>
          <td><span class="value">${returnValue(value)}</span></td>
        </tr>`,
    ),
    "The head",
  )}${
    said.lines.length === 0
      ? undefined
      : scrollingTable(
          ["Line", "Service id", "Change", "Amount", ...columns],
          said.lines.map(
            (line) =>
              html`<tr>
                <th scope="row">${line.kind}</th>
                <td data-head="Service id">${line.id}</td>
                <td data-head="Change">${line.change}</td>
                <td data-head="Amount" class="number">${lineAmount(line)}</td>
                ${columns.map((name) => html`<td data-head="${name}">${returnValue(line.fields[name] ?? null)}</td>`)}
              </tr>`,
          ),
          "The lines, with what changed against the version before",
        )
  }`;
}

function versionLink(item: Pick<StoredReturn, "stream" | "subject" | "version">): Html {
  return html`<a href="${returnPath(item)}">version ${item.version}</a>`;
}

function versionsTable(versions: readonly StoredReturn[], now: number): Html {
  return html`<h2>Versions</h2>
    ${scrollingTable(
      ["Version", "State", "Prepared"],
      versions.map(
        (each) =>
          html`<tr>
            <th scope="row">${versionLink(each)} <span class="quiet">${each.kind}</span></th>
            <td>${badge(each.state)}</td>
            <td data-head="Prepared">${instant(each.preparedAt, now)}</td>
          </tr>`,
      ),
      "Newest first",
    )}`;
}

function historyTable(history: readonly AuditRecord[], now: number): Html {
  return html`<h2>History</h2>
    ${scrollingTable(
      ["When", "Outcome", "Who"],
      history.map(
        ({ at, outcome, by }) =>
          html`<tr>
            <td class="number">${instant(at, now)}</td>
            <td>${outcome}</td>
            <td data-head="Who">${by && actorText(by)}</td>
          </tr>`,
      ),
      "Decisions of people, newest first",
    )}`;
}
