import type { z } from "zod";

/** One environment key: its description for people, and how its text becomes a value. */
export interface SettingKey<Value = unknown, Default extends string | undefined = string | undefined> {
  /** Sentences for `.env.example`: what the key does, with its unit and bounds. */
  readonly about: string;
  /** Turns text into the value. Its error messages state what is expected: "a whole number from 1 to 64". */
  readonly value: z.ZodType<Value, string>;
  /** The default as text, which passes through the same schema. Undefined if the absence of the key has a meaning. */
  readonly default: Default;
  /** Shown commented out in `.env.example` if there is no default. */
  readonly example: string;
  /** Whether the value must never be shown, neither in problems nor in the log. `<KEY>_FILE` may then name a file that holds it. */
  readonly secret: boolean;
}

/** A key that always has a value. */
export function withDefault<Value, const Default extends string>(
  value: z.ZodType<Value, string>,
  initial: Default,
  about: string,
): SettingKey<Value, Default> {
  return { about, value, default: initial, example: initial, secret: false };
}

/** A key whose absence has a meaning, or that is checked together with other keys. */
export function optional<Value>(
  value: z.ZodType<Value, string>,
  example: string,
  about: string,
): SettingKey<Value, undefined> {
  return { about, value, default: undefined, example, secret: false };
}

/** An optional key with a secret value. */
export function secretKey<Value>(
  value: z.ZodType<Value, string>,
  example: string,
  about: string,
): SettingKey<Value, undefined> {
  return { about, value, default: undefined, example, secret: true };
}
