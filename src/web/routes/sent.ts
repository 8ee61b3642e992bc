import { z } from "zod";
import type { RecordVerb, StreamVerb } from "../acts.ts";

/** What was sent with an act: fields of a form, or members of a JSON object. */
export type Sent = Readonly<Record<string, unknown>>;

/** Maximum length of a reason, a note and an owner. */
export const textMax = 500;
/** The form's value for an unchanged snooze. */
export const sameSnooze = "same";

const textWords = `a text of at most ${textMax} characters`;
const text = z.string(textWords).max(textMax, textWords);
/** A ticked box in a form, or a boolean in JSON. */
const yes = z.literal(["yes", true, false], 'true, false or "yes"').transform((sent) => sent !== false);
/** Forms send numbers as digits. */
const number = (schema: z.ZodNumber) =>
  z.preprocess((sent) => (typeof sent === "string" && sent.trim() !== "" ? Number(sent) : sent), schema);
const whole = (least: number) => {
  const words = `a whole number from ${least}`;
  return number(z.int(words).min(least, words));
};
const instantWords = "an instant such as 2026-11-22T08:00:00.000Z, or an empty text where there was none";
const instantOrNone = z
  .union([z.literal(""), z.iso.datetime()], instantWords)
  .transform((sent) => (sent === "" ? ("none" as const) : Date.parse(sent)));
const hours = number(z.number("a number of hours"));

const body = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject({ ...shape, why: text.optional(), confirm: yes.optional() });
const nothing = body({});
const trimmed = text.transform((sent) => sent.trim()).optional();

/** What each act accepts. */
export const bodies = {
  /** `count`: how many records of a group the person saw. */
  retry: body({ count: whole(1).optional() }),
  skip: nothing,
  reread: nothing,
  forget: nothing,
  resume: nothing,
  poll: nothing,
  compare: nothing,
  test: nothing,
  create: body({ begunAt: instantOrNone.optional() }),
  unbind: body({ serviceId: whole(1).optional() }),
  bind: body({ serviceId: whole(1) }),
  watch: body({ minutes: number(z.number("a number of minutes")) }),
  note: body({
    note: trimmed,
    owner: trimmed,
    snoozeHours: z
      .preprocess(
        (sent) => (sent === sameSnooze ? undefined : sent),
        number(z.number("a number of hours").min(0, "a number of hours; 0 ends the snooze")).optional(),
      )
      .optional(),
    notedAt: instantOrNone.optional(),
  }),
  pause: body({ hours, polls: yes.default(false) }),
  deletions: body({ count: whole(0) }),
  files: body({ name: z.string("the name of a refused file").min(1, "the name of a refused file") }),
  plan: body({ plan: text }),
  adopt: body({ decision: z.enum(["adopt", "create-all"], "adopt or create-all").default("adopt") }),
} satisfies Record<RecordVerb | StreamVerb | "compare" | "note" | "test", z.ZodObject>;

const byVerb = new Map<string, z.ZodObject>(Object.entries(bodies));

/** What is wrong with what was sent: place, found and expected; undefined if nothing is. */
export function problemIn(verb: string, sent: Sent): string | undefined {
  const schema = byVerb.get(verb);
  const [issue] = schema?.safeParse(sent).error?.issues ?? [];
  if (schema === undefined || issue === undefined) return undefined;
  if (issue.code === "unrecognized_keys")
    return `${issue.keys.join(", ")}: not known here, expected ${Object.keys(schema.shape).join(", ")}`;
  const [place = ""] = issue.path;
  const found = Object.hasOwn(sent, place) ? JSON.stringify(sent[String(place)]).slice(0, 100) : "nothing";
  return `${String(place)}: found ${found}, expected ${issue.message}`;
}

export function isConfirmed({ confirm }: Sent): boolean {
  return yes.safeParse(confirm).data === true;
}
