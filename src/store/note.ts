import type { z } from "zod";
import { canonicalJson, type Json } from "#model";
import type { Logger } from "#telemetry";

/** A small fact that survives a restart: its name in the store and its schema. */
export interface Note<Fact> {
  readonly name: string;
  /** Also accepts what published versions stored under this name. */
  readonly schema: z.ZodType<Fact>;
  /** Its values are names or keys, which are compared. They are not redacted, even if one contains a weak password. */
  readonly isOfNames?: true;
}

/**
 * Parses notes; no other code does. A note that does not parse counts as absent, because every note can be found out or decided again; it
 * is logged once. Older versions stored `null` to erase a note.
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

/** The fact as it is stored: redacted, unless it consists of names. */
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
