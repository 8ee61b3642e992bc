import type { z } from "zod";
import { canonicalJson, type Json } from "#model";
import type { Logger } from "#telemetry";

/** A small fact that survives a restart: its name in the store, and its shape. */
export interface Note<Fact> {
  readonly name: string;
  /** Accepts what published versions wrote under the name, too. */
  readonly schema: z.ZodType<Fact>;
  /** It is made of names or keys, which are compared: they stay as they are, also where a weak password is a part of one. */
  readonly isOfNames?: true;
}

/**
 * Turns what is stored under a note's name into its fact: the one place where notes are parsed. What does not parse counts as
 * absent, since every note can be found out or decided again; it is logged once. `null` is how older versions erased a note.
 */
export class NoteReader {
  readonly #logger: Logger;
  readonly #told = new Set<string>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  read<Fact>({ name, schema }: Note<Fact>, stored: Json | undefined): Fact | undefined {
    if (stored === undefined || stored === null) return undefined;
    const parsed = schema.safeParse(stored);
    if (parsed.success) return parsed.data;
    if (!this.#told.has(name)) this.#logger.warn({ name, err: parsed.error }, "note was not understood");
    this.#told.add(name);
    return undefined;
  }
}

/** The fact as it is stored: without secrets, unless it is made of names. */
export function storedFact<Fact>({ isOfNames }: Note<unknown>, fact: Fact, clean: (fact: Fact) => Fact): Fact {
  return isOfNames ? fact : clean(fact);
}

/** Whether two facts would be stored as the same. */
export function isSameFact(one: unknown, other: unknown): boolean {
  return asStored(one) === asStored(other);
}

function asStored(fact: unknown): string | undefined {
  if (fact === undefined) return undefined;
  const plain: Json = JSON.parse(JSON.stringify(fact));
  return canonicalJson(plain);
}
