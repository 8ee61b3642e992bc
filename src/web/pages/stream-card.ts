import type { StreamStatus } from "#pipeline";
import { html, type Html } from "#server";
import { sentence } from "./wording.ts";

/** What a person should know or do about a stream: what holds it, what fails, what the service does not keep. */
export function streamCard({ name, state, attention }: StreamStatus): Html {
  return html`<article class="card ${state}">
    <h3>${name} <span class="badge ${state}">${state}</span></h3>
    <ul aria-label="${name}: attention">
      ${attention.map((text) => html`<li>${sentence(text)}</li>`)}
    </ul>
  </article>`;
}
