import { z } from "zod";
import type { Key, ResourceName, ServiceId, StreamName } from "#model";
import type { KeylessRows } from "#sources";
import type { Note } from "#store";

// What the pipeline keeps of streams and resources besides their records. Names and shapes are in stores of published versions.

const flag = z.boolean();
const count = z.number();
const text = z.string();
const nextSweep = z.object({ nextAt: z.number() });
const keyless = z.array(z.object({ place: z.string(), reason: z.string() }));
const confirmation = z.object({ confirmedAt: z.number().default(0), further: z.number().default(0) });
const hold = z.object({ reason: z.string(), remedy: z.string() });
const closed = z.object({ rules: z.string(), reason: z.string() });
const counterpart = z.object({ resource: z.string(), serviceId: z.number() });
const twins = z.array(
  z.object({ stream: z.string(), key: z.string(), resource: z.string(), serviceId: z.number(), twin: z.number() }),
);
const indexFacts = z.object({
  rules: z.string().default(""),
  newest: z.number().nullable().default(null),
  wholeAt: z.number().default(0),
  carried: z.array(z.string()).default([]),
});

type Counterpart = { readonly resource: ResourceName; readonly serviceId: ServiceId };

/** An operator asked for the stream to be read from its beginning. */
export function rereadNote(stream: StreamName): Note<boolean> {
  return { name: `reread/${stream}`, schema: flag };
}

/** A person asked for a poll of the stream now. */
export function pollNote(stream: StreamName): Note<boolean> {
  return { name: `poll/${stream}`, schema: flag };
}

/** When the next sweep of the stream begins. */
export function sweepNote(stream: StreamName): Note<{ readonly nextAt: number }> {
  return { name: `sweep/${stream}`, schema: nextSweep };
}

/** How many records are known of a stream of which the ERP shows none. */
export function emptiedNote(stream: StreamName): Note<number> {
  return { name: `emptied/${stream}`, schema: count };
}

/** The rows without a key that the stream's last poll saw: they have no record, and they hold deletions back. */
export function keylessNote(stream: StreamName): Note<readonly KeylessRows[]> {
  return { name: `keyless/${stream}`, schema: keyless };
}

/** A person confirmed the deletions of the stream that were told of until `confirmedAt`, and `further` ones to come. */
export interface Confirmation {
  readonly confirmedAt: number;
  readonly further: number;
}

export function guardNote(stream: StreamName): Note<Confirmation> {
  return { name: `guard/${stream}`, schema: confirmation };
}

/** Why a stream is held, and what ends it. */
export interface HoldCause {
  readonly reason: string;
  readonly remedy: string;
}

/** Says why a stream is held; absent once it is open. */
export function heldNote(stream: StreamName): Note<HoldCause> {
  return { name: `held/${stream}`, schema: hold };
}

/** A stream is held because its records cannot be found again: under which match rules, and why. */
export function closedNote(stream: StreamName): Note<{ readonly rules: string; readonly reason: string }> {
  return { name: `closed/${stream}`, schema: closed };
}

/** A record of the stream was found by its natural key: the match rules by which. */
export function keptNote(stream: StreamName): Note<string> {
  return { name: `match-kept/${stream}`, schema: text };
}

/** A record of the service that has the natural key of another one, which a create of a lost daemon may have made. */
export interface Twin {
  readonly stream: StreamName;
  readonly key: Key;
  readonly resource: ResourceName;
  /** The record that the ERP's record is bound to, and the other one. */
  readonly serviceId: ServiceId;
  readonly twin: ServiceId;
}

/** The records of the stream that may be twice in the service. */
export function twinsNote(stream: StreamName): Note<readonly Twin[]> {
  return { name: `twins/${stream}`, schema: twins };
}

/** The service answered 200 to this field and did not keep it, first in this record. */
export function droppedNote(stream: StreamName, field: string): Note<Counterpart> {
  return { name: `dropped/${stream}/${field}`, schema: counterpart };
}

/** The service answered the create of this record with another value of this match field. */
export function respelledNote(stream: StreamName, field: string): Note<Counterpart> {
  return { name: `respelled/${stream}/${field}`, schema: counterpart };
}

/** What is known about a resource besides its match index. */
export interface IndexFacts {
  /** The rules the index holds; another set means reading the resource whole. */
  readonly rules: string;
  /** The newest `modified`, never ahead of the service's own clock; null while no record has one. */
  readonly newest: number | null;
  /** When the resource was last read whole. */
  readonly wholeAt: number;
  /** Match fields that some record has a value in. */
  readonly carried: readonly string[];
}

export function indexNote(resource: ResourceName): Note<IndexFacts> {
  return { name: `match-index/${resource}`, schema: indexFacts };
}
