import type { Held, StreamStatus } from "#pipeline";
import { html, type Html } from "#server";
import { actForms, type OfferedAct } from "../frame/act-form.ts";
import type { Frame } from "../frame/layout.ts";
import { streamPath } from "../frame/wording.ts";

/** Links to the pages where a person decides about what holds a stream, and the acts that end it at once. */
export function decisionForms(stream: StreamStatus, frame: Frame): Html | undefined {
  const { name, holds, deletionsHeld } = stream;
  const path = streamPath(name);
  const has = (kind: Held["kind"]) => holds.some((held) => held.kind === kind && held.needsPerson);
  const forms = formsOf(stream, frame).filter(({ act }) => act.answersAttention);
  const links = [
    has("change") || has("mass") || has("mail")
      ? html`<a class="button" href="${path}/plan">See the plan of ${name}</a>`
      : undefined,
    has("adoption") ? html`<a class="button" href="/adoption">See what ${name} matches</a>` : undefined,
    deletionsHeld > 0 ? html`<a class="button" href="${path}/deletions">See the deletions of ${name}</a>` : undefined,
    ...forms.map((form) => form.html),
  ].filter((link) => link !== undefined);
  return links.length === 0 ? undefined : html`<div class="acts">${links}</div>`;
}

/** What a person may do with any stream: poll it now, pause it, or read it from its beginning. */
export function streamForms(stream: StreamStatus, frame: Frame): Html {
  const forms = formsOf(stream, frame).filter(({ act }) => !act.answersAttention);
  return html`${forms.map((form) => form.html)}`;
}

function formsOf(stream: StreamStatus, frame: Frame): OfferedAct[] {
  return actForms("stream", stream.name, stream, frame);
}
