import { retriableStates, type NotedGroup } from "#operator";
import { html, type Html } from "#server";
import { sameSnooze, textMax } from "../../routes/sent.ts";
import { choice } from "../frame/act-form.ts";
import { csrfField, type Frame } from "../frame/layout.ts";

/** What a person may do with a group: one more try for all of its records, and a note for others. */
export function groupForms(group: NotedGroup, { visitor }: Frame): Html | undefined {
  if (visitor?.role !== "act" || group.error === undefined) return undefined;
  const { id, stream, state, count, error, noted } = group;
  const path = `/groups/${id}`;
  const name = `${stream}, ${error.code}, ${state}`;
  const label = count === 1 ? "Try it again" : "Try them again";
  const retry = html`<form method="post" action="${path}/retry">
    ${csrfField(visitor)}<button class="plain" aria-label="${label}: ${name}">${label}</button>
  </form>`;
  return html`<div class="acts">
    ${retriableStates.includes(state) ? retry : undefined}
    <details>
      <summary aria-label="Note, owner, snooze: ${name}">Note, owner, snooze</summary>
      <p>For others, here and in <code class="command">svcsync groups</code>. A snooze keeps messages about it back.</p>
      <form method="post" action="${path}/note">
        ${csrfField(visitor)}
        <label>Note <input name="note" maxlength="${textMax}" value="${noted?.note}" /></label>
        <label>Owner <input name="owner" maxlength="${textMax}" size="12" value="${noted?.owner}" /></label>
        ${snooze}
        <button class="plain" aria-label="Save: ${name}">Save</button>
      </form>
    </details>
  </div>`;
}

const snooze = choice("Snooze", "snoozeHours", [
  [sameSnooze, "as it is"],
  [0, "none"],
  [24, "1 day"],
  [168, "1 week"],
  [672, "4 weeks"],
]);
