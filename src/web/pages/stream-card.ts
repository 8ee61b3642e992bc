import type { StreamStatus } from "#pipeline";
import { html, type Html } from "#server";
import { holdForms } from "./act-forms.ts";
import type { Frame } from "./layout.ts";
import { sentence } from "./wording.ts";

/** What a person should know or do about a stream: what holds it, what fails, what the service does not keep. */
export function streamCard(stream: StreamStatus, heldDeletions: number | undefined, frame: Frame): Html {
  const { name, state, attention } = stream;
  return html`<article class="card ${state}">
    <h3>${name} <span class="badge ${state}">${state}</span></h3>
    <ul aria-label="${name}: attention">
      ${attention.map((text) => html`<li>${sentence(text)}</li>`)}
    </ul>
    ${holdForms(stream, heldDeletions, frame)}
  </article>`;
}
