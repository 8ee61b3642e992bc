import type { Json } from "#model";
import type { FieldSides, RecordSides } from "#pipeline";
import { html, scrollingTable, type Content, type Html } from "#server";
import { shown } from "../frame/values.ts";
import { reason } from "../frame/wording.ts";

/** Mapping, last write and service side by side, with each difference marked in words. */
export function sidesTable(sides: RecordSides, isApplied: boolean): Html {
  const { fields, verdict, error, service } = sides;
  const heads = ["Field", "Mapping makes", "Last written", ...(service === "there" ? ["Service holds now"] : [])];
  return html`${verdict === undefined ? undefined : html`<p>The mapping says: ${verdict}.</p>`}
  ${error === undefined ? undefined : html`<p class="problem">${reason(error)}</p>`}
  ${service === "gone" ? html`<p class="problem">The service does not show this record.</p>` : undefined}
  ${service === "there" ? html`<p>${differences(fields)}</p>` : undefined}
  ${isApplied ? undefined : html`<p>Nothing was written yet.</p>`}
  ${
    fields.length === 0
      ? undefined
      : scrollingTable(
          heads,
          fields.map((field) => row(field, service === "there")),
          "Owned fields, from the ERP to the service",
        )
  }`;
}

function differences(fields: readonly FieldSides[]): string {
  const changed = fields.filter(({ isChanged }) => isChanged).map(({ field }) => field);
  return changed.length === 0
    ? "The service holds what was last written."
    : `Changed in the service since the last write: ${changed.join(", ")}.`;
}

function row({ field, mapped, written, found, isPending, isChanged }: FieldSides, isRead: boolean): Html {
  return html`<tr class="${isPending || isChanged ? "differs" : ""}">
    <th scope="row">${field}</th>
    <td data-head="Mapping makes">${value(mapped)} ${isPending ? mark("not written yet") : undefined}</td>
    <td data-head="Last written">${value(written)}</td>
    ${isRead ? html`<td data-head="Service holds now">${value(found)} ${isChanged ? mark("differs") : undefined}</td>` : undefined}
  </tr>`;
}

function mark(text: string): Html {
  return html`<span class="mark">≠ ${text}</span>`;
}

function value(json: Json | undefined): Content {
  return json === undefined ? html`<span class="quiet">–</span>` : html`<span class="value">${shown(json)}</span>`;
}
