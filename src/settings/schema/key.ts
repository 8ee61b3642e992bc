import type { z } from "zod";

/** One key of the environment: what it is for people, and how its text becomes a value. */
export interface Key<Value = unknown, Default extends string | undefined = string | undefined> {
  /** Sentences for `.env.example`: what the key does, with its unit and bounds. */
  readonly about: string;
  /** Text to value. Its error messages state what is wanted: "a whole number from 1 to 64". */
  readonly value: z.ZodType<Value, string>;
  /** Text like the operator's, so that it passes through the same schema; undefined where absence means something. */
  readonly default: Default;
  /** Shown commented out in `.env.example` where there is no default. */
  readonly example: string;
  /** Never shown: not in problems, not in the log. `<KEY>_FILE` may name a file that holds it. */
  readonly secret: boolean;
}

/** A key that always has a value. */
export function withDefault<Value, const Default extends string>(
  value: z.ZodType<Value, string>,
  initial: Default,
  about: string,
): Key<Value, Default> {
  return { about, value, default: initial, example: initial, secret: false };
}

/** A key whose absence means something, or is judged together with other keys. */
export function optional<Value>(
  value: z.ZodType<Value, string>,
  example: string,
  about: string,
): Key<Value, undefined> {
  return { about, value, default: undefined, example, secret: false };
}

/** An optional key whose value is secret. */
export function secret<Value>(value: z.ZodType<Value, string>, example: string, about: string): Key<Value, undefined> {
  return { about, value, default: undefined, example, secret: true };
}
