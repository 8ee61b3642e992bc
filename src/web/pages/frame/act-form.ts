import { html, type Content, type Html } from "#server";
import { finalVerbs, type RecordVerb, type StreamVerb } from "../../acts.ts";
import { csrfField, type Frame } from "./layout.ts";

export interface ActForm {
  readonly action: string;
  readonly verb: RecordVerb | StreamVerb;
  readonly label: string;
  readonly fields?: Content;
  /** The label of the confirmation. */
  readonly sure?: string;
}

/** A form behind its name, so that a slip of the finger does nothing. */
export function actForm(
  form: ActForm & {
    /** Explains the act to the person who is about to do it. */
    readonly means: string;
  },
  frame: Frame,
): Html {
  return html`<details>
    <summary>${form.label}</summary>
    <p>${form.means}</p>
    ${openForm(form, frame)}
  </details>`;
}

/** The form itself: asks for a reason, and for a confirmation where the act cannot be undone. */
export function openForm(
  { action, verb, label, fields, sure = "I am sure; this cannot be undone" }: ActForm,
  { visitor }: Frame,
): Html {
  const isFinal = finalVerbs.has(verb);
  return html`<form method="post" action="${action}">
    ${csrfField(visitor)} ${fields}
    <label>Why <input name="why" maxlength="500" ${isFinal ? required : undefined} /></label>
    ${isFinal ? html`<label class="sure"><input type="checkbox" name="confirm" value="yes" required /> ${sure}</label>` : undefined}
    <button class="${isFinal ? "danger" : ""}">${label}</button>
  </form>`;
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
