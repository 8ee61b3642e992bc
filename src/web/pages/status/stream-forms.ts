import type { StreamStatus } from "#pipeline";
import { html, type Html } from "#server";
import { actForm } from "../frame/act-form.ts";
import { csrfField, type Frame } from "../frame/layout.ts";

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
      : actForm({ action: `${path}/deletions`, verb: "deletions", label, means, fields }, frame);
  return resume === undefined && deletions === undefined
    ? undefined
    : html`<div class="acts">${resume} ${deletions}</div>`;
}

/** A pause for a stream that has none. */
export function pauseForm({ name, holds }: StreamStatus, frame: Frame): Html | undefined {
  if (frame.visitor?.role !== "act" || holds.some(({ kind }) => kind === "pause")) return undefined;
  const means = "Nothing is delivered until then. Polls continue, and nothing is lost.";
  return actForm(
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
