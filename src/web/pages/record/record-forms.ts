import type { RecordId } from "#model";
import { retriableStates } from "#operator";
import { html, type Content, type Html } from "#server";
import { isAnswerable, type RecordView } from "#store";
import type { RecordDetail } from "../../contract.ts";
import type { RecordVerb } from "../../acts.ts";
import { actForm, choice } from "../frame/act-form.ts";
import { csrfField, type Frame } from "../frame/layout.ts";
import { pathOf } from "../frame/wording.ts";

/** What a person may do with a record now; nothing for visitors who may only read. */
export function recordForms(
  { record, create }: Pick<RecordDetail, "record" | "create">,
  frame: Frame,
): Html | undefined {
  if (frame.visitor?.role !== "act") return undefined;
  const { id, state, binding } = record;
  const canAnswer = isAnswerable(state);
  const forms = [
    retriableStates.includes(state)
      ? html`<form method="post" action="${pathOf(id, "retry")}">
          ${csrfField(frame.visitor)}<button>Try again now</button>
        </form>`
      : undefined,
    canAnswer && binding === undefined
      ? form(
          id,
          "bind",
          "Bind to a record of the service",
          "Shows both sides before anything is bound.",
          frame,
          idField,
        )
      : undefined,
    create !== "never" && canBeNew(record)
      ? form(
          id,
          "create",
          state === "uncertain" || isGone(record) ? "Create it again" : "Create a new one",
          isGone(record)
            ? "The service no longer has it; a new record is created there and bound."
            : "You looked in the service, and it is not there. If it is, this makes a duplicate.",
          frame,
          createField(record),
        )
      : undefined,
    canAnswer && state !== "skipped"
      ? form(id, "skip", "Leave it out", "It is not delivered until the ERP changes it.", frame)
      : undefined,
    binding !== undefined && state !== "claimed"
      ? form(
          id,
          "unbind",
          "End the binding",
          `It no longer belongs to ${binding.resource} ${binding.serviceId}; nothing changes in the service. It then waits for your decision.`,
          frame,
          html`<input type="hidden" name="serviceId" value="${binding.serviceId}" />`,
        )
      : undefined,
    form(id, "reread", "Read it from the ERP again", "Reads the row now; it is delivered if it changed.", frame),
    form(id, "watch", "Watch its requests", watchWords, frame, minutesField),
    state === "due" || state === "claimed" || state === "uncertain"
      ? undefined
      : form(id, "forget", "Forget its personal data", forgetWords, frame),
  ];
  return html`<div class="acts">${forms.filter((each) => each !== undefined)}</div>`;
}

const forgetWords =
  "Row, written values and details of its history are overwritten here; key and binding stay. Delete or anonymise it in the ERP and in the service first. Backups made before now still hold it.";

const watchWords = "svcsync records the requests for this record with their answers, and shows them here for 7 days.";

const minutesField = choice("For", "minutes", [
  [10, "10 minutes"],
  [60, "1 hour"],
  [1440, "1 day"],
]);

/** States in which a person may say that the service does not have the record. */
function canBeNew(record: RecordView): boolean {
  const { state, error, binding } = record;
  if (binding !== undefined) return isGone(record);
  return state === "uncertain" || error?.code === "E_MATCH_AMBIGUOUS" || error?.code === "E_UNBOUND";
}

function isGone({ state, error }: RecordView): boolean {
  return state === "parked" && error?.code === "E_RECORD_GONE";
}

const idField = html`<label
  >Service id <input name="serviceId" inputmode="numeric" pattern="[0-9]+" size="9" required
/></label>`;

/**
 * Identifies the create whose result the person looked for: if another person repeated it meanwhile, it may be in the
 * service.
 */
function createField({ intent }: RecordView): Html {
  const begunAt = intent === undefined ? "" : new Date(intent.begunAt).toISOString();
  return html`<input type="hidden" name="begunAt" value="${begunAt}" />`;
}

function form(id: RecordId, verb: RecordVerb, label: string, means: string, frame: Frame, fields?: Content): Html {
  return actForm({ action: pathOf(id, verb), verb, label, means, fields }, frame);
}
