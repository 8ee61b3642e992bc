import { RETURN_STATES, grouped } from "#model";
import { roughDuration, type ReturnStatus } from "#operator";
import { html, scrollingTable, type Html } from "#server";
import { actForms } from "../frame/act-form.ts";
import type { Frame } from "../frame/layout.ts";
import { badge, returnsPath, sentence } from "../frame/wording.ts";

/** The lane back to the ERP on the status page; nothing without streams of returns. */
export function returnStreams(statuses: readonly ReturnStatus[], frame: Frame): Html | undefined {
  if (statuses.length === 0) return undefined;
  const noted = statuses.filter(({ attention }) => attention.length > 0);
  return html`<h2>Back to the ERP</h2>
    ${noted.length === 0 ? undefined : html`<div class="cards">${noted.map((status) => returnCard(status, frame))}</div>`}
    ${scrollingTable(
      ["Stream", "State", "Oldest without an answer", "Returns by state"],
      statuses.map((status) => row(status, frame)),
      "From the service to the ERP",
    )}`;
}

/** What a person should know or do about a stream of returns. */
export function returnCard(status: ReturnStatus, frame: Frame): Html {
  const { name, state, attention } = status;
  const forms = actForms("returnStream", name, status, frame);
  return html`<article class="card ${state}">
    <h3><a href="${returnsPath({ stream: name })}">${name}</a> ${badge(state)}</h3>
    <ul aria-label="${name}: attention">
      ${attention.map((text) => html`<li>${sentence(text)}</li>`)}
    </ul>
    ${forms.length === 0 ? undefined : html`<div class="acts">${forms.map((form) => form.html)}</div>`}
  </article>`;
}

function row(status: ReturnStatus, frame: Frame): Html {
  const { name, state, counts, unansweredMs, attention } = status;
  const states = RETURN_STATES.filter((each) => (counts[each] ?? 0) > 0);
  // A stream with something to look at has its forms on its card.
  const forms = attention.length > 0 ? [] : actForms("returnStream", name, status, frame);
  return html`<tr>
    <th scope="row"><a href="${returnsPath({ stream: name })}">${name}</a></th>
    <td>${badge(state)} ${forms.map((form) => form.html)}</td>
    <td data-head="Oldest without an answer">${unansweredMs === undefined ? "none" : roughDuration(unansweredMs)}</td>
    <td>
      ${states.map(
        (each) =>
          html`<a href="${returnsPath({ stream: name, state: each })}">${grouped(counts[each] ?? 0)} ${each}</a> `,
      )}
    </td>
  </tr>`;
}
