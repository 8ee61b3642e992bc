import { attentionStates, remedyOf, type ErrorGroup } from "#operator";
import type { StreamStatus } from "#pipeline";
import { html, type Html } from "#server";
import { groupForm } from "./act-forms.ts";
import type { Frame } from "./layout.ts";
import { recordsPath } from "./records-page.ts";
import { badge, linkTo, sentence } from "./wording.ts";

/** Records of a stream in one state that are looked at to tell the reasons; counts beyond are lower bounds. */
export const recordsLookedAt = 500;

/**
 * What is held up, a card for each stream, state and cause: a thousand records that wait for the same thing are one fact.
 * The first records of each stream and state tell the causes.
 */
export function groupCards(streams: readonly StreamStatus[], groups: readonly ErrorGroup[], frame: Frame): Html {
  const ordered = attentionStates.flatMap((state) => groups.filter((group) => group.state === state));
  return html`<div class="cards">${ordered.map((group) => groupCard(group, isWhole(group, streams), frame))}</div>
    <p><a href="${recordsPath({})}">All of them</a></p>`;
}

/** Whether all records of the group's stream and state were looked at. */
function isWhole({ stream, state }: ErrorGroup, streams: readonly StreamStatus[]): boolean {
  return (streams.find(({ name }) => name === stream)?.counts[state] ?? 0) <= recordsLookedAt;
}

function groupCard(group: ErrorGroup, whole: boolean, frame: Frame): Html {
  const { stream, state, error, message, count, examples } = group;
  const todo = error === undefined ? undefined : remedyOf(error, examples[0]!);
  const shown = examples.map((id, at) => (at === 0 ? linkTo(id) : html`, ${linkTo(id)}`));
  return html`<article class="card ${state}">
    <h3>
      ${whole ? undefined : "at least "}<a href="${recordsPath({ stream, state })}"
        >${count.toLocaleString("en")} ${stream}</a
      >
      ${badge(state)}
    </h3>
    ${error === undefined ? undefined : html`<p>${count === 1 ? error.message : message} <code>${error.code}</code></p>`}
    ${todo === undefined ? undefined : html`<p class="todo"><strong>What to do:</strong> ${sentence(todo)}</p>`}
    <p class="quiet">${count > examples.length ? "For example " : undefined}${shown}</p>
    ${groupForm(group, frame)}
  </article>`;
}
