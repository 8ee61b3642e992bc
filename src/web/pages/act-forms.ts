import type { RecordId } from "#model";
import { retriableStates } from "#operator";
import type { StreamStatus } from "#pipeline";
import { html, type Content, type Html } from "#server";
import { isAnswerable, type RecordView } from "#store";
import { finalVerbs, type RecordVerb, type StreamVerb } from "../acts.ts";
import { csrfField, type Frame } from "./layout.ts";
import { pathOf } from "./wording.ts";

interface Form {
  readonly action: string;
  readonly verb: RecordVerb | StreamVerb;
  readonly label: string;
  /** What it does, for the one who is about to do it. */
  readonly means: string;
  readonly fields?: Content;
}

/** What a person may do with a record now; nothing for those who may only read. */
export function recordForms(record: RecordView, frame: Frame): Html | undefined {
  if (frame.visitor?.role !== "act") return undefined;
  const { id, state, binding } = record;
  const canAnswer = isAnswerable(state);
  const forms = [
    retriableStates.includes(state)
      ? html`<form method="post" action="${pathOf(id, "retry")}">
          ${csrfField(frame.visitor)}<button>Try again now</button>
        </form>`
      : undefined,
    canAnswer && binding === undefined
      ? form(
          id,
          "bind",
          "Bind to a record of the service",
          "Shows both sides before anything is bound.",
          frame,
          idField,
        )
      : undefined,
    state === "uncertain"
      ? form(
          id,
          "create",
          "Create it again",
          "You looked in the service, and it is not there. If it is, this makes a duplicate.",
          frame,
        )
      : undefined,
    canAnswer ? form(id, "skip", "Leave it out", "It is not delivered until the ERP changes it.", frame) : undefined,
    binding !== undefined && state !== "claimed"
      ? form(
          id,
          "unbind",
          "End the binding",
          `It no longer belongs to ${binding.resource} ${binding.serviceId}; nothing changes in the service. It then waits for your answer.`,
          frame,
        )
      : undefined,
    form(id, "reread", "Read it from the ERP again", "Reads the row now; it is delivered if it changed.", frame),
  ];
  return html`<div class="acts">${forms.filter((each) => each !== undefined)}</div>`;
}

const idField = html`<label
  >Service id <input name="serviceId" inputmode="numeric" pattern="[0-9]+" size="9" required
/></label>`;

function form(id: RecordId, verb: RecordVerb, label: string, means: string, frame: Frame, fields?: Content): Html {
  return folded({ action: pathOf(id, verb), verb, label, means, fields }, frame);
}

/** A form behind its name, so that nothing happens by one slip of the finger. */
function folded({ action, verb, label, means, fields }: Form, { visitor }: Frame): Html {
  const isFinal = finalVerbs.has(verb);
  return html`<details>
    <summary>${label}</summary>
    <p>${means}</p>
    <form method="post" action="${action}">
      ${csrfField(visitor)} ${fields}
      <label>Why <input name="why" maxlength="500" ${isFinal ? required : undefined} /></label>
      ${isFinal ? html`<label><input type="checkbox" name="confirm" value="yes" required /> I mean it; this cannot be undone</label>` : undefined}
      <button class="${isFinal ? "danger" : ""}">${label}</button>
    </form>
  </details>`;
}

const required = html`required`;

/** What ends a hold of a stream, where the page can end it. */
export function holdForms(
  { name, holds }: StreamStatus,
  heldDeletions: number | undefined,
  frame: Frame,
): Html | undefined {
  if (frame.visitor?.role !== "act") return undefined;
  const path = streamPath(name);
  const resume = holds.some(({ kind }) => kind === "pause")
    ? html`<form method="post" action="${path}/resume">
        ${csrfField(frame.visitor)}<button aria-label="Resume ${name}">Resume</button>
      </form>`
    : undefined;
  const label = `Confirm ${(heldDeletions ?? 0).toLocaleString("en")} deletions`;
  const means = "They are carried out in the service.";
  const fields = html`<input type="hidden" name="count" value="${heldDeletions}" />`;
  const deletions =
    heldDeletions === undefined
      ? undefined
      : folded({ action: `${path}/deletions`, verb: "deletions", label, means, fields }, frame);
  return resume === undefined && deletions === undefined
    ? undefined
    : html`<div class="acts">${resume} ${deletions}</div>`;
}

/** A pause for a stream that has none. */
export function pauseForm({ name, holds }: StreamStatus, frame: Frame): Html | undefined {
  if (frame.visitor?.role !== "act" || holds.some(({ kind }) => kind === "pause")) return undefined;
  const means = "Nothing is delivered until then. Polls continue, and nothing is lost.";
  return folded(
    { action: `${streamPath(name)}/pause`, verb: "pause", label: `Pause ${name}`, means, fields: hoursField },
    frame,
  );
}

function streamPath(name: string): string {
  return `/streams/${encodeURIComponent(name)}`;
}

const hoursField = html`<label
  >For
  <select name="hours">
    <option value="1">1 hour</option>
    <option value="4">4 hours</option>
    <option value="24">1 day</option>
    <option value="168">1 week</option>
  </select></label
>`;
