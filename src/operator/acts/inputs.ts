import { z } from "zod";
import { attentionStates } from "../state/attention.ts";

/** What was sent with an act: fields of a form, members of a JSON object, or options of a command. */
export type Sent = Readonly<Record<string, unknown>>;

/** Maximum length of a reason, a note and an owner. */
export const textMax = 500;
/** The form's value for an unchanged snooze. */
export const sameSnooze = "same";

const textWords = `a text of at most ${textMax} characters`;
export const textInput = z.string(textWords).max(textMax, textWords);
/** A ticked box in a form, or a boolean in JSON. */
export const yes = z.literal(["yes", true, false], 'true, false or "yes"').transform((sent) => sent !== false);
/** Forms send numbers as digits. */
export const numberInput = (schema: z.ZodNumber) =>
  z.preprocess((sent) => (typeof sent === "string" && sent.trim() !== "" ? Number(sent) : sent), schema);
export const whole = (least: number) => {
  const words = `a whole number from ${least}`;
  return numberInput(z.int(words).min(least, words));
};
/** A state that needs attention. */
export const inState = z.enum(attentionStates, `one of ${attentionStates.join(", ")}`);
const instantWords = "an instant such as 2026-11-22T08:00:00.000Z, or an empty text where there was none";
export const instantOrNone = z
  .union([z.literal(""), z.iso.datetime()], instantWords)
  .transform((sent) => (sent === "" ? ("none" as const) : Date.parse(sent)));

export function isConfirmed({ confirm }: Sent): boolean {
  return yes.safeParse(confirm).data === true;
}
