import { attentionStates, remedyOf, type ErrorGroup } from "#operator";
import type { StreamStatus } from "#pipeline";
import { html, type Html } from "#server";
import { table } from "./layout.ts";
import { recordsPath } from "./records-page.ts";
import { badge, linkTo, sentence } from "./wording.ts";

/** Records of a stream in one state that are looked at to tell the reasons; counts beyond are lower bounds. */
export const recordsLookedAt = 500;

/**
 * What is held up, a row for each stream, state and cause: a thousand records that wait for the same thing are one fact.
 * The first records of each stream and state tell the causes.
 */
export function heldRecords(streams: readonly StreamStatus[], groups: readonly ErrorGroup[]): Html {
  if (groups.length === 0) return html`<p>None is uncertain, parked or waiting.</p>`;
  const ordered = attentionStates.flatMap((state) => groups.filter((group) => group.state === state));
  return html`${table(
      "Uncertain, parked and waiting records, by cause",
      ["Records", "Cause", "For example", "What to do"],
      ordered.map((group) => groupRow(group, isWhole(group, streams))),
    )}
    <p><a href="${recordsPath({})}">All of them</a></p>`;
}

/** Whether all records of the group's stream and state were looked at. */
function isWhole({ stream, state }: ErrorGroup, streams: readonly StreamStatus[]): boolean {
  return (streams.find(({ name }) => name === stream)?.counts[state] ?? 0) <= recordsLookedAt;
}

function groupRow({ stream, state, error, message, count, examples }: ErrorGroup, whole: boolean): Html {
  const first = examples[0]!;
  const todo = error === undefined ? undefined : remedyOf(error, first);
  return html`<tr>
    <th scope="row" class="number">
      ${whole ? undefined : "at least "}<a href="${recordsPath({ stream, state })}"
        >${count.toLocaleString("en")} ${stream}</a
      ><br />
      ${badge(state)}
    </th>
    <td>
      ${error === undefined ? undefined : html`<code>${error.code}</code> ${count === 1 ? error.message : message}`}
    </td>
    <td>
      ${examples.map((id) => html`${linkTo(id)}<br />`)}
      ${count > examples.length ? html`<span class="quiet">and more</span>` : undefined}
    </td>
    <td>
      ${todo === undefined ? undefined : state === "waiting" ? html`<span class="quiet">${sentence(todo)}</span>` : sentence(todo)}
    </td>
  </tr>`;
}
