import { z } from "zod";
import type { StreamName } from "#model";
import type { Note } from "#store";

// What the pipeline stores about streams and resources besides their records. Stores of published versions contain these names and
// shapes.

/** Defines a kind of note that each stream, or each resource, has one of. */
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

/** How many records of the stream are known while the ERP shows none. */
export const emptiedNote = noteOfEach("emptied", z.number());

/** The rows without a key in the stream's last poll. They have no record, and they prevent deletions. */
export const keylessNote = noteOfEach(
  "keyless",
  z.array(z.object({ place: z.string(), reason: z.string() })).readonly(),
);

/** What the ERP answered when it refused to show the stream's list of deletions. Only sweeps find deletions then. */
export const refusedDeletionsNote = noteOfEach("refused-deletions", z.string());

/** A person confirmed the stream's deletions that were reported until `confirmedAt`, and `further` ones to come. */
export const guardNote = noteOfEach(
  "guard",
  z.object({ confirmedAt: z.number().default(0), further: z.number().default(0) }),
);

const holdCause = z.object({
  reason: z.string(),
  remedy: z.string(),
  /** Whether the hold ends without a person. */
  isTemporary: z.boolean().optional(),
});

/** Why a stream is held, and what ends it. */
export type HoldCause = z.infer<typeof holdCause>;

/** Why the stream is held; absent while it is open. */
export const heldNote = noteOfEach("held", holdCause);

/** Why the stream is held when its records cannot be found again, and under which match rules. */
export const closedNote = noteOfEach("closed", z.object({ rules: z.string(), reason: z.string() }), {
  isOfNames: true,
});

/** The match rules by which a record of the stream was found: the service keeps its natural key. */
export const keptNote = noteOfEach("match-kept", z.string(), { isOfNames: true });

const twin = z.object({
  stream: z.string(),
  key: z.string(),
  resource: z.string(),
  /** The record that the ERP's record is bound to, followed by the other one. */
  serviceId: z.number(),
  twin: z.number(),
});

/** A service record with the natural key of another one. A create of a lost daemon may have made it. */
export type Twin = z.infer<typeof twin>;

/** The records of the stream that may exist twice in the service. */
export const twinsNote = noteOfEach("twins", z.array(twin).readonly(), { isOfNames: true });

const counterpart = z.object({ resource: z.string(), serviceId: z.number() });

/** The first record for which the service answered 200 to this field and did not keep it as it was sent. */
export function droppedNote(stream: StreamName, field: string): Note<z.infer<typeof counterpart>> {
  return { name: `dropped/${stream}/${field}`, schema: counterpart };
}

/** The record whose create the service answered with another value of this match field. */
export function respelledNote(stream: StreamName, field: string): Note<z.infer<typeof counterpart>> {
  return { name: `respelled/${stream}/${field}`, schema: counterpart };
}

const merge = z.object({ to: z.number(), stream: z.string(), key: z.string() });

/** The record that a merged one became, and the record of the ERP that was bound to the merged one. */
export type Merge = z.infer<typeof merge>;

/** The records of a resource that people merged into others, by their service id. */
export const mergesNote = noteOfEach("merges", z.record(z.string(), merge), { isOfNames: true });

const indexFacts = z.object({
  /** The rules that the index holds. If they change, the resource is read whole. */
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
