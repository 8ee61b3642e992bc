import type { Act, ActForm, FormField, SeenTargets, TargetKind, Targets } from "#operator";
import { acts, textMax } from "#operator";
import { html, type Content, type Html } from "#server";
import { csrfField, type Frame } from "./layout.ts";
import { pathOf, returnPath, returnsPath, streamPath } from "./wording.ts";

/** The address that carries out an act on a target. */
export function addressOf(
  { name, path, target: kind }: Pick<Act, "name" | "path" | "target">,
  target: Targets[TargetKind],
): string {
  if (target === undefined) return path ?? `/acts/${name}`;
  if (typeof target === "object") return "key" in target ? pathOf(target, name) : returnPath(target, name);
  if (kind === "returnStream") return `${returnsPath({ stream: target })}/${name}`;
  return kind === "group" ? `/groups/${encodeURIComponent(target)}/${name}` : `${streamPath(target)}/${name}`;
}

/** An act that the page offers now, with the form that carries it out. */
export interface OfferedAct {
  readonly act: Act;
  readonly html: Html;
}

/** The forms of what may be done with a target now; none for visitors who may only read. */
export function actForms<Kind extends TargetKind>(
  kind: Kind,
  target: Targets[Kind],
  seen: SeenTargets[Kind],
  frame: Frame,
): OfferedAct[] {
  if (frame.visitor?.role !== "act") return [];
  return acts.flatMap((act) =>
    act.target !== kind
      ? []
      : (act.forms?.(seen) ?? []).map((form) => ({ act, html: offered(act, addressOf(act, target), form, frame) })),
  );
}

/** One button, or a form behind its name, so that a slip of the finger does nothing. */
function offered(act: Act, action: string, form: ActForm, frame: Frame): Html {
  const { label, means, sure } = form;
  const spoken = form.spoken === undefined ? undefined : html`aria-label="${form.spoken}"`;
  const fields = (form.fields ?? fieldsOf(act)).map(fieldHtml);
  if (means === undefined)
    return html`<form method="post" action="${action}">
      ${csrfField(frame.visitor)} ${fields}<button ${spoken}>${label}</button>
    </form>`;
  return html`<details>
    <summary ${spoken}>${label}</summary>
    <p>${means}</p>
    ${openForm({ action, act, label, fields, sure }, frame)}
  </details>`;
}

/** The form itself: asks for a reason, and for a confirmation where the act cannot be undone. */
export function openForm(
  {
    action,
    act: { isFinal = false },
    label,
    fields,
    sure = "I am sure; this cannot be undone",
  }: {
    readonly action: string;
    readonly act: Pick<Act, "isFinal">;
    readonly label: string;
    readonly fields?: Content;
    /** The label of the confirmation. */
    readonly sure?: string | undefined;
  },
  { visitor }: Frame,
): Html {
  return html`<form method="post" action="${action}">
    ${csrfField(visitor)} ${fields}
    <label>Why <input name="why" maxlength="${textMax}" ${isFinal ? required : undefined} /></label>
    ${isFinal ? html`<label class="sure"><input type="checkbox" name="confirm" value="yes" required /> ${sure}</label>` : undefined}
    <button class="${isFinal ? "danger" : ""}">${label}</button>
  </form>`;
}

/** One text field for each member. */
function fieldsOf({ input = {} }: Act): FormField[] {
  return Object.keys(input).map((name) => ({ kind: "text", name, label: name }));
}

function fieldHtml(field: FormField): Html {
  const { name } = field;
  if (field.kind === "hidden") return html`<input type="hidden" name="${name}" value="${field.value}" />`;
  if (field.kind === "choice") return choice(field.label, name, Object.entries(field.values));
  if (field.kind === "tick")
    return html`<label class="sure"><input type="checkbox" name="${name}" value="yes" /> ${field.label}</label>`;
  if (field.kind === "text") return html`<label>${field.label} <input name="${name}" maxlength="${textMax}" /></label>`;
  return html`<label
    >${field.label} <input name="${name}" inputmode="numeric" pattern="[0-9]+" size="9" required
  /></label>`;
}

/** A choice of one value, with a label for each. */
export function choice(
  label: string,
  name: string,
  values: readonly (readonly [value: string | number, means: string])[],
): Html {
  return html`<label
    >${label}
    <select name="${name}">
      ${values.map(([value, means]) => html`<option value="${value}">${means}</option>`)}
    </select></label
  >`;
}

const required = html`required`;
