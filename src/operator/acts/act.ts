import { z } from "zod";
import type { Stream } from "#mapping";
import { recordLabel, type Actor, type RecordId, type ReturnId, type StreamName } from "#model";
import type { StreamStatus } from "#pipeline";
import type { AuditEntry, RecordView, StoredReturn } from "#store";
import type { NotedGroup } from "../state/noted-groups.ts";
import type { ReturnStatus } from "../state/return-status.ts";
import { returnLabel } from "../text/return-text.ts";
import type { Command } from "./command.ts";
import { isConfirmed, textInput, yes, type Sent } from "./inputs.ts";
import type { Reach } from "./systems.ts";

/** What an act concerns. */
export interface Targets {
  readonly record: RecordId;
  /** The id of a group of records with the same cause. */
  readonly group: string;
  readonly stream: StreamName;
  readonly return: ReturnId;
  /** The name of a stream under `returns`. */
  readonly returnStream: string;
  readonly installation: undefined;
}
export type TargetKind = keyof Targets;

/** What the page knows of a target when it offers its acts. */
export interface SeenTargets {
  readonly record: {
    readonly record: RecordView;
    /** Undefined for a stream that is no longer in the sync file. */
    readonly create?: Stream["create"] | undefined;
  };
  readonly group: NotedGroup;
  readonly stream: StreamStatus;
  readonly return: StoredReturn;
  readonly returnStream: ReturnStatus;
  readonly installation: undefined;
}

/** One request to act. */
export interface Given<Kind extends TargetKind = TargetKind, Input = Readonly<Record<string, unknown>>> {
  readonly target: Targets[Kind];
  readonly input: Input;
  /** The person has confirmed it. */
  readonly isConfirmed: boolean;
  /** Ends the wait for the ERP or the service. */
  readonly signal: AbortSignal;
}

/** A field of an act's form. */
export type FormField =
  | { readonly kind: "hidden"; readonly name: string; readonly value: string | number }
  | { readonly kind: "tick" | "digits" | "text"; readonly name: string; readonly label: string }
  | {
      readonly kind: "choice";
      readonly name: string;
      readonly label: string;
      /** What each value means. */
      readonly values: Readonly<Record<string, string>>;
    };

/** How the page offers an act. */
export interface ActForm {
  readonly label: string;
  /** Explains the act, and asks for a reason; a form without it is one button. */
  readonly means?: string;
  /** One text field for each member of the input, unless given. */
  readonly fields?: readonly FormField[];
  /** Its name for those who do not see what is around it. */
  readonly spoken?: string;
  /** The words of the confirmation of a final act. */
  readonly sure?: string;
}

/** The result of an act on many records, for the person who asked for it. */
export interface Bulk<Input, Result> {
  count(result: Result, input: Input): number;
  /** How many the person saw. Undefined: nothing is reported. */
  asked(result: Result, input: Input): number | undefined;
  said(count: number, asked: number, stream: StreamName): string;
}

/** An act of a person, declared once. Page, JSON API, commands and documents are derived from it. */
export interface Declared<Kind extends TargetKind, Shape extends z.ZodRawShape, Needs extends keyof Reach, Result> {
  /** The last part of its address. */
  readonly name: string;
  readonly target: Kind;
  /** More than the store. */
  readonly needs?: Needs;
  /** What it does, as an imperative. */
  readonly help: string;
  /** The members of the JSON, the fields of the form and the options of the command, beside `why` and `confirm`. */
  readonly input?: Shape;
  /** What the page about the API says of the members. */
  readonly inputHelp?: string;
  /** It cannot simply be undone: it takes a reason and a confirmation. */
  readonly isFinal?: boolean;
  /** The action under which the history shows it; undefined for one that changes nothing. */
  readonly audit: AuditEntry["action"] | undefined;
  /** What a daemon looks at again as soon as it is done. */
  readonly wakes?: "deliveries" | "holds" | "polls" | "adoption" | "returns";
  /** What else is wrong with an input that fits the schema. */
  objection?(input: z.output<z.ZodObject<Shape>>): string | undefined;
  /** @throws {ParkError} and others where it is refused; nothing is done then. */
  run(systems: Reach[Needs], given: Given<Kind, z.output<z.ZodObject<Shape>>>, by: Actor): Promise<Result>;
  /** Why nothing was done, in spite of a result. */
  undone?(result: Result): string | undefined;
  /** The answer for scripts, if it is more than what was done to what. */
  answer?(result: Result, common: object, target: Targets[Kind]): object;
  readonly bulk?: Bulk<z.output<z.ZodObject<Shape>>, Result>;
  /** The forms that the page offers now. Absent where a page of its own has the form. */
  forms?(seen: SeenTargets[Kind]): readonly ActForm[];
  /** Offered beside what a person has to look at, not where it is rarely needed. */
  readonly answersAttention?: boolean;
  /** The page where a person looks before: `own` is the address of the act itself. */
  readonly page?: "own" | `/${string}`;
  /** The address of an act on the installation. */
  readonly path?: `/${string}`;
  /** What the command that is derived from this act prints for a person. */
  said?(targets: readonly Targets[Kind][], results: readonly Result[]): string;
  /** Another form of its command, or the option of the command that has the act, such as `groups --note`. */
  readonly command?: string | Command;
}

/** Any act; where its types matter, use the act itself. */
export interface Act extends Omit<Declared<TargetKind, z.ZodRawShape, "daemon", unknown>, "needs"> {
  readonly needs?: keyof Reach;
  /** What may be sent. */
  readonly body: z.ZodObject;
}

/** Declares an act; the register lists it. */
export function defineAct<Kind extends TargetKind, Shape extends z.ZodRawShape, Needs extends keyof Reach, Result>(
  declared: Declared<Kind, Shape, Needs, Result>,
): Declared<Kind, Shape, Needs, Result> & Pick<Act, "body"> {
  const body = z.strictObject({ ...declared.input, why: textInput.optional(), confirm: yes.optional() });
  return { ...declared, body };
}

/** The command line that has the act, without its target. */
export function commandOf({ name, command }: Act): string {
  return typeof command === "string" ? command : name;
}

/** What is wrong with what was sent: place, found and expected; undefined if nothing is. */
export function problemIn(act: Act, sent: Sent): string | undefined {
  const { body } = act;
  const { data, error } = body.safeParse(sent);
  if (data !== undefined) return act.objection?.(data);
  const [issue] = error.issues;
  if (issue === undefined) return undefined;
  if (issue.code === "unrecognized_keys")
    return `${issue.keys.join(", ")}: not known here, expected ${Object.keys(body.shape).join(", ")}`;
  const [place = ""] = issue.path;
  const found = Object.hasOwn(sent, place) ? JSON.stringify(sent[String(place)]).slice(0, 100) : "nothing";
  return `${String(place)}: found ${found}, expected ${issue.message}`;
}

/** What is missing for an act that needs a reason and a confirmation. */
export function missingIn({ isFinal }: Act, sent: Sent, { why }: Actor): string | undefined {
  if (!isFinal) return undefined;
  if (why === undefined) return "nothing was done: give the reason (why)";
  return isConfirmed(sent) ? undefined : "nothing was done: the confirmation is missing (confirm: yes)";
}

/** The request that was sent, after {@link problemIn} found nothing wrong. */
export function givenBy({ body }: Act, target: Targets[TargetKind], sent: Sent, signal: AbortSignal): Given {
  return { target, input: body.parse(sent), isConfirmed: isConfirmed(sent), signal };
}

/** What scripts get: what was done to what, and more where the act has more to say. */
export function answerOf(act: Act, { target }: Given, result: unknown): object {
  const label = targetLabel(target);
  const common = { ...(label === undefined ? {} : { [act.target]: label }), done: act.name };
  return act.answer?.(result, common, target) ?? common;
}

/** How people name a target. */
export function targetLabel(target: Targets[TargetKind]): string | undefined {
  if (typeof target !== "object") return target;
  return "key" in target ? recordLabel(target) : returnLabel(target);
}
