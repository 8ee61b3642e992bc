import type { Held, StreamStatus } from "#pipeline";
import { html, type Html } from "#server";
import { actForm, choice } from "../frame/act-form.ts";
import { csrfField, type Frame } from "../frame/layout.ts";
import { streamPath } from "../frame/wording.ts";

/** How many refused files can be settled on the page at a time. */
const FILES_SHOWN = 5;

/** Links to the pages where a person decides about what holds a stream. A pause is ended here. */
export function decisionLinks({ name, holds, deletionsHeld }: StreamStatus, frame: Frame): Html | undefined {
  const path = streamPath(name);
  const has = (kind: Held["kind"]) =>
    holds.some((held) => held.kind === kind && (held.needsPerson || kind === "pause"));
  const links = [
    has("change") || has("mass") || has("mail")
      ? html`<a class="button" href="${path}/plan">See the plan of ${name}</a>`
      : undefined,
    has("adoption") ? html`<a class="button" href="/adoption">See what ${name} matches</a>` : undefined,
    deletionsHeld > 0 ? html`<a class="button" href="${path}/deletions">See the deletions of ${name}</a>` : undefined,
    has("pause") && frame.visitor?.role === "act"
      ? html`<form method="post" action="${path}/resume">
          ${csrfField(frame.visitor)}<button aria-label="Resume ${name}">Resume</button>
        </form>`
      : undefined,
  ].filter((link) => link !== undefined);
  return links.length === 0 ? undefined : html`<div class="acts">${links}</div>`;
}

/** Settles the stream's refused files, one by one. */
export function fileForms({ name: stream, refusedFiles = [] }: StreamStatus, frame: Frame): Html | undefined {
  if (frame.visitor?.role !== "act" || refusedFiles.length === 0) return undefined;
  const forms = refusedFiles.slice(0, FILES_SHOWN).map(({ name }) =>
    actForm(
      {
        action: `${streamPath(stream)}/files`,
        verb: "files",
        label: `Settle ${name}`,
        means:
          "Do this if the rows of the file are not needed, or were delivered in another file. A later file of the same name settles it, too.",
        fields: html`<input type="hidden" name="name" value="${name}" />`,
      },
      frame,
    ),
  );
  return html`${forms}`;
}

/** What a person may do with any stream: poll it now, pause it, or read it from its beginning. */
export function streamForms({ name, holds }: StreamStatus, frame: Frame): Html | undefined {
  if (frame.visitor?.role !== "act") return undefined;
  const path = streamPath(name);
  const poll = html`<form class="acts" method="post" action="${path}/poll">
    ${csrfField(frame.visitor)}<button aria-label="Poll ${name} now">Poll now</button>
  </form>`;
  const pause = actForm(
    {
      action: `${path}/pause`,
      verb: "pause",
      label: `Pause ${name}`,
      means: "Nothing is delivered until then. Polls continue, and nothing is lost.",
      fields: pauseFields,
    },
    frame,
  );
  const reread = actForm(
    {
      action: `${path}/reread`,
      verb: "reread",
      label: `Read ${name} again`,
      means: "The next poll reads all rows of the ERP. Unchanged rows cause no request to the service.",
    },
    frame,
  );
  return html`${holds.some(({ polls }) => polls) ? undefined : poll}
  ${holds.some(({ kind }) => kind === "pause") ? undefined : pause} ${reread}`;
}

const pauseFields = html`${choice("For", "hours", [
    [1, "1 hour"],
    [4, "4 hours"],
    [24, "1 day"],
    [168, "1 week"],
  ])} <label class="sure"><input type="checkbox" name="polls" value="yes" /> Stop polling too</label>`;
