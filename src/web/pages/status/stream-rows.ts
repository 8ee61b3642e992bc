import { counted, RECORD_STATES, grouped } from "#model";
import { arrivalText, roughDuration, streamMeanings } from "#operator";
import type { StreamStatus } from "#pipeline";
import { html, type Content, type Html } from "#server";
import type { HistoryHour } from "#store";
import { streamForms } from "./stream-forms.ts";
import type { Frame } from "../frame/layout.ts";
import { recordsPath } from "../record/records-page.ts";
import { sparkline } from "./sparkline.ts";
import { badge, instant, streamPath } from "../frame/wording.ts";

export const streamHeads = ["Stream", "State", "Last poll", "Records by state", "Delivered in 24 h"];

/** One stream: its state, its freshness and its records. */
export function streamRow(stream: StreamStatus, history: readonly HistoryHour[], frame: Frame, now: number): Html {
  const { name, source, resource, state } = stream;
  return html`<tr>
    <th scope="row">${name}<br /><span class="quiet">${source} → ${resource}</span></th>
    <td>
      ${badge(state)}<br /><span class="quiet">${meaningOf(stream)}</span>
      ${more(stream, frame)}
    </td>
    <td data-head="Last poll">${lastPoll(stream, now)}</td>
    <td>${counts(stream)}</td>
    <td data-head="Delivered in 24 h">
      ${sparkline(name, history, now)}
      <a href="${streamPath(name)}/history" aria-label="History of ${name}">History</a>
    </td>
  </tr>`;
}

function meaningOf({ state, cursor: { error }, refusedFiles = [] }: StreamStatus): string {
  const isOfFile = state === "failing" && refusedFiles.some(({ code }) => code === error?.code);
  return isOfFile ? "rows of a refused file are missing" : streamMeanings[state];
}

function lastPoll(stream: StreamStatus, now: number): Html {
  const { polledAt } = stream.cursor;
  const at = polledAt === undefined ? "not yet" : instant(polledAt, now);
  const { arrival } = stream;
  const takes = arrival && html`<br /><span class="quiet">changes take at most ${arrivalText(arrival)}</span>`;
  return html`${at}<br /><span class="quiet">${progress(stream)}</span>${takes}`;
}

/** Details that are rarely needed: how far the stream was read, and what a person may do with it. */
function more(stream: StreamStatus, frame: Frame): Html {
  const { name, lagMs, cursor } = stream;
  const position = cursor.cursor === null ? "from the beginning" : JSON.stringify(cursor.cursor);
  return html`<details class="more">
    <summary aria-label="More about ${name}">More</summary>
    <p>
      Read up to
      <span class="value cursor">${position}</span
      >${lagMs === undefined ? undefined : `, whole ${roughDuration(lagMs)} ago`}
    </p>
    ${streamForms(stream, frame)}
  </details>`;
}

function progress({ cursor, undeliveredMs }: StreamStatus): Content {
  if (cursor.firstLoad) return `${counted(cursor.rowsRead, "row")} read so far`;
  return undeliveredMs === undefined ? undefined : `oldest undelivered change: ${roughDuration(undeliveredMs)} old`;
}

function counts({ name, counts: byState }: StreamStatus): Html {
  const present = RECORD_STATES.filter((state) => (byState[state] ?? 0) > 0);
  if (present.length === 0) return html`<span class="quiet">none</span>`;
  return html`<ul class="counts">
    ${present.map(
      (state) =>
        html`<li>
          <a href="${recordsPath({ stream: name, state })}" aria-label="${grouped(byState[state] ?? 0)} ${state}"
            >${grouped(byState[state] ?? 0)}</a
          >
          ${badge(state)}
        </li>`,
    )}
  </ul>`;
}
