import { counted, grouped } from "#model";
import { deletionsAct } from "#operator";
import { html, type Html } from "#server";
import type { DecidableDeletions } from "../../contract.ts";
import { addressOf, openForm } from "../frame/act-form.ts";
import { page, type Frame } from "../frame/layout.ts";
import { linkTo } from "../frame/wording.ts";

interface DeletionsPage {
  readonly stream: string;
  readonly held: DecidableDeletions | undefined;
  readonly frame: Frame;
}

/** Deletions that the guard holds, with the form that releases them. */
export function deletionsPage({ stream, held, frame }: DeletionsPage): Html {
  return page({
    title: `svcsync: deletions of ${stream}`,
    frame,
    main: html`<h1>Deletions of ${stream}</h1>
      ${held === undefined ? html`<p>No deletion of ${stream} waits for a person.</p>` : heldText(stream, held, frame)}`,
  });
}

function heldText(
  stream: string,
  { count, known, examples, isEmptied, deletion }: DecidableDeletions,
  frame: Frame,
): Html {
  const records = counted(count, "record");
  const setsFields = deletion === "set";
  return html`<p>
      ${
        isEmptied
          ? `The ERP no longer returns any record of ${stream}, but ${counted(count, "record")} are known.`
          : `${grouped(count)} of ${counted(known, "record")} are missing in the ERP or marked as deleted there, more than the deletion guard allows.`
      }
      They stay ${setsFields ? "as they are" : ""} in the service until a person decides; other changes of ${stream} are
      delivered.
      ${setsFields ? "Confirmed, they get the fields of deleted: set in the sync file, and stay in the service." : ""}
    </p>
    ${
      frame.visitor?.role === "act"
        ? html`<div class="decision">
            <h2>Is this change intended?</h2>
            ${openForm(
              {
                action: addressOf(deletionsAct, stream),
                act: deletionsAct,
                label: setsFields ? `Set the fields of ${records}` : `Delete ${records}`,
                ...(setsFields ? { sure: "I mean it" } : {}),
                fields: html`<input type="hidden" name="count" value="${count}" />`,
              },
              frame,
            )}
            ${unmeant}
          </div>`
        : html`<p>
              A login with the role <em>act</em> may confirm them, or
              <code class="command">svcsync deletions ${stream} --confirm</code>.
            </p>
            ${unmeant}`
    }
    ${
      examples.length === 0
        ? undefined
        : html`<h2>For example</h2>
            <ul class="columns">
              ${examples.map((key) => html`<li>${linkTo({ stream, key })}</li>`)}
            </ul>`
    }`;
}

const unmeant = html`<p>If they are not intended, restore the rows in the ERP: svcsync then drops their deletions.</p>`;
