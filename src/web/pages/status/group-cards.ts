import { counted, localTime, grouped } from "#model";
import {
  actorText,
  attentionStates,
  isSnoozed,
  noteAct,
  remedyOf,
  retriableStates,
  retryGroupAct,
  sameSnooze,
  textMax,
  type NotedGroup,
} from "#operator";
import { html, typed, type Html } from "#server";
import type { StatusSource } from "../../contract.ts";
import { actForms, addressOf, choice } from "../frame/act-form.ts";
import { csrfField, type Frame } from "../frame/layout.ts";
import { badge, fact, instant, sentence } from "../frame/wording.ts";
import { joined, recordsPath } from "../record/records-page.ts";

/** Cards shown at most: a mistake in a mapped name may produce as many causes as there are records. */
const cardsMax = 100;

/** A group with the words by which people know its examples, in their order. */
export interface NamedGroup extends NotedGroup {
  readonly names: readonly string[];
}

/** The groups that the page shows, those that need a person first, and the number of others. */
export interface ShownGroups {
  readonly shown: readonly NamedGroup[];
  readonly more: number;
}

export async function shownGroups(groups: readonly NotedGroup[], names: StatusSource["names"]): Promise<ShownGroups> {
  const ordered = attentionStates.flatMap((state) => groups.filter((group) => group.state === state));
  const shown = ordered.slice(0, cardsMax);
  const found = await names(shown.flatMap(({ examples }) => examples));
  const named = shown.map((group) => ({ ...group, names: found.splice(0, group.examples.length) }));
  return { shown: named, more: ordered.length - shown.length };
}

/** Records that need attention, one card per stream, state and cause: a thousand records with the same cause are one fact. */
export function groupCards(groups: readonly NamedGroup[], more: number, frame: Frame, now: number): Html {
  return html`<div class="cards">${groups.map((group) => groupCard(group, frame, now))}</div>
    ${more > 0 ? html`<p>And ${counted(more, "more cause")}: <code class="command">svcsync groups</code> lists them.</p>` : undefined}
    <p><a href="${recordsPath({})}">All of them</a></p>`;
}

function groupCard(group: NamedGroup, frame: Frame, now: number): Html {
  const { stream, state, error, message, count, examples, names } = group;
  const todo = error === undefined ? undefined : remedyOf(error, examples[0]!);
  return html`<article class="card ${state}">
    <h3>
      <a href="${recordsPath({ stream, state })}">${counted(count, "record")} of ${stream}</a>
      ${badge(state)} <code>${group.id}</code>
    </h3>
    ${error === undefined ? undefined : html`<p>${count === 1 ? error.message : message} <code>${error.code}</code></p>`}
    ${todo === undefined ? undefined : html`<p class="todo"><strong>What to do:</strong> ${sentence(todo)}</p>`}
    ${noteOf(group, now)}
    <p class="quiet">${count > examples.length ? "For example " : "See "}${joined(examples, names)}</p>
    ${groupForms(group, frame)}
  </article>`;
}

/** The notes about a group. */
function noteOf({ noted, count }: NotedGroup, now: number): Html | undefined {
  if (noted === undefined) return undefined;
  const { note, owner, snooze, by, at } = noted;
  const isQuiet = snooze !== undefined && isSnoozed(noted, count, now);
  return html`<dl>
    ${fact("Owner", owner)} ${fact("Note", note)}
    ${fact("Snoozed until", isQuiet ? html`${localTime(snooze.until)} (${instant(snooze.until, now)})` : undefined)}
    ${fact("Written down", html`${instant(at, now)} ${actorText(by)}`)}
  </dl>`;
}

/** What a person may do with a group: retry all of its records, and leave a note for others. */
function groupForms(group: NotedGroup, frame: Frame): Html | undefined {
  const { visitor } = frame;
  if (visitor?.role !== "act" || group.error === undefined) return undefined;
  const { id, stream, state, count, error, noted } = group;
  const name = `${stream}, ${error.code}, ${state}`;
  const label = count === 1 ? "Try it again" : `Try all ${grouped(count)} again`;
  const form = html`<form method="post" action="${addressOf(retryGroupAct, id)}">
    ${csrfField(visitor)}
    <input type="hidden" name="state" value="${state}" />
    <input type="hidden" name="count" value="${count}" />
    <button class="plain" aria-label="${label}: ${name}">${label}</button>
  </form>`;
  const retry =
    count === 1
      ? form
      : html`<details>
          <summary aria-label="Try them again: ${name}">Try them again</summary>
          <p>${counted(count, "record")} will be due now, and each is sent to the service once more.</p>
          ${form}
        </details>`;
  return html`<div class="acts">
    ${retriableStates.includes(state) ? retry : undefined}
    <details>
      <summary aria-label="Note, owner, snooze: ${name}">Note, owner, snooze</summary>
      <p>Shown to others here and in <code class="command">svcsync groups</code>. A snooze mutes its messages.</p>
      <form method="post" action="${addressOf(noteAct, id)}">
        ${csrfField(visitor)}
        <input type="hidden" name="notedAt" value="${noted === undefined ? "" : new Date(noted.at).toISOString()}" />
        <label>Note <input name="note" maxlength="${textMax}" value="${typed(noted?.note)}" /></label>
        <label>Owner <input name="owner" maxlength="${textMax}" size="12" value="${typed(noted?.owner)}" /></label>
        ${snooze}
        <button class="plain" aria-label="Save: ${name}">Save</button>
      </form>
    </details>
    ${actForms("group", id, group, frame).map((act) => act.html)}
  </div>`;
}

const snooze = choice("Snooze", "snoozeHours", [
  [sameSnooze, "as it is"],
  [0, "none"],
  [24, "1 day"],
  [168, "1 week"],
  [672, "4 weeks"],
]);
