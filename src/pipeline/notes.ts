import { z } from "zod";
import type { StreamName } from "#model";
import type { Note } from "#store";

// What the pipeline keeps of streams and resources besides their records. Names and shapes are in stores of published versions.

/** A note that each stream, or each resource, has one of. */
export function noteOfEach<Fact>(
  kind: string,
  schema: z.ZodType<Fact>,
  more: Pick<Note<Fact>, "isOfNames"> = {},
): (name: string) => Note<Fact> {
  return (name) => ({ name: `${kind}/${name}`, schema, ...more });
}

/** An operator asked for the stream to be read from its beginning. */
export const rereadNote = noteOfEach("reread", z.boolean());

/** A person asked for a poll of the stream now. */
export const pollNote = noteOfEach("poll", z.boolean());

/** When the next sweep of the stream begins. */
export const sweepNote = noteOfEach("sweep", z.object({ nextAt: z.number() }));

/** How many records are known of a stream of which the ERP shows none. */
export const emptiedNote = noteOfEach("emptied", z.number());

/** The rows without a key that the stream's last poll saw: they have no record, and they hold deletions back. */
export const keylessNote = noteOfEach(
  "keyless",
  z.array(z.object({ place: z.string(), reason: z.string() })).readonly(),
);

/** A person confirmed the deletions of the stream that were told of until `confirmedAt`, and `further` ones to come. */
export const guardNote = noteOfEach(
  "guard",
  z.object({ confirmedAt: z.number().default(0), further: z.number().default(0) }),
);

const holdCause = z.object({
  reason: z.string(),
  remedy: z.string(),
  /** It ends without a person. */
  isTemporary: z.boolean().optional(),
});

/** Why a stream is held, and what ends it. */
export type HoldCause = z.infer<typeof holdCause>;

/** Says why a stream is held; absent once it is open. */
export const heldNote = noteOfEach("held", holdCause);

/** A stream is held because its records cannot be found again: under which match rules, and why. */
export const closedNote = noteOfEach("closed", z.object({ rules: z.string(), reason: z.string() }), {
  isOfNames: true,
});

/** A record of the stream was found by its natural key: the match rules by which. */
export const keptNote = noteOfEach("match-kept", z.string(), { isOfNames: true });

const twin = z.object({
  stream: z.string(),
  key: z.string(),
  resource: z.string(),
  /** The record that the ERP's record is bound to, and the other one. */
  serviceId: z.number(),
  twin: z.number(),
});

/** A record of the service that has the natural key of another one, which a create of a lost daemon may have made. */
export type Twin = z.infer<typeof twin>;

/** The records of the stream that may be twice in the service. */
export const twinsNote = noteOfEach("twins", z.array(twin).readonly(), { isOfNames: true });

const counterpart = z.object({ resource: z.string(), serviceId: z.number() });

/** The service answered 200 to this field and did not keep it as it was sent, first in this record. */
export function droppedNote(stream: StreamName, field: string): Note<z.infer<typeof counterpart>> {
  return { name: `dropped/${stream}/${field}`, schema: counterpart };
}

/** The service answered the create of this record with another value of this match field. */
export function respelledNote(stream: StreamName, field: string): Note<z.infer<typeof counterpart>> {
  return { name: `respelled/${stream}/${field}`, schema: counterpart };
}

const indexFacts = z.object({
  /** The rules the index holds; another set means reading the resource whole. */
  rules: z.string().default(""),
  /** The newest `modified`, never ahead of the service's own clock; null while no record has one. */
  newest: z.number().nullable().default(null),
  /** When the resource was last read whole. */
  wholeAt: z.number().default(0),
  /** Match fields that some record has a value in. */
  carried: z.array(z.string()).default([]),
});

/** What is known about a resource besides its match index. */
export type IndexFacts = z.infer<typeof indexFacts>;

export const indexNote = noteOfEach("match-index", indexFacts, { isOfNames: true });
