import { isJsonObject, type Json } from "#model";
import { html, type Content, type Html } from "#server";

/** Text unchanged, any other value as JSON with its type, so that "1" and 1 can be told apart. */
export function shown(value: Json | undefined): Content {
  if (value === undefined) return undefined;
  if (typeof value === "string") return value === "" ? html`<span class="quiet">empty text</span>` : value;
  if (value === null) return html`<span class="quiet">null</span>`;
  if (typeof value === "object") return JSON.stringify(value, null, 1);
  return html`${String(value)} <span class="quiet">${typeof value}</span>`;
}

/** The values before and after a write, field by field, without fields that stayed the same. */
export function changes(before: Json | undefined, after: Json | undefined): Html | undefined {
  const [old, now] = [before, after].map((side) => (isJsonObject(side) ? side : undefined));
  if (old === undefined && now === undefined)
    return before === undefined && after === undefined ? undefined : html`${shown(before)} → ${shown(after)}`;
  const names = [...new Set([...Object.keys(old ?? {}), ...Object.keys(now ?? {})])];
  const different = names.filter((name) => JSON.stringify(old?.[name]) !== JSON.stringify(now?.[name]));
  if (different.length === 0) return undefined;
  return html`<ul class="changes">
    ${different.map(
      (name) =>
        html`<li>
          <strong>${name}</strong>:
          ${old === undefined ? undefined : html`<span class="value">${shown(old[name]) ?? "–"}</span> → `}<span
            class="value"
            >${shown(now?.[name]) ?? "–"}</span
          >
        </li>`,
    )}
  </ul>`;
}
