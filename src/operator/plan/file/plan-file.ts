import { createHash } from "node:crypto";
import { z } from "zod";
import type { Stream } from "#mapping";
import { canonicalJson, ParkError, parsedJson, type Json, type RecordId, type StreamName } from "#model";
import { VERDICTS, type PlannedDelivery } from "#pipeline";
import { redacted, type Redact } from "#telemetry";

/** Changes where a file of an earlier version would be read wrongly. */
const FORMAT = 1;

const sourceShape = z.object({
  address: z.string(),
  own: z.string().optional(),
  isOwnOfServer: z.boolean().optional(),
  part: z.string(),
});

const headShape = z.object({
  svcsyncPlan: z.literal(FORMAT),
  /** The svcsync that planned. */
  version: z.string(),
  createdAt: z.string(),
  /** The addresses of the service that the store remembers; none before the first connection. */
  service: z.array(z.string()),
  /** A hash of each stream of the sync file. */
  mappings: z.record(z.string(), z.string()),
  /** The planned streams: the data that they are read from, and how far it was read. */
  streams: z.array(
    z.object({ stream: z.string(), source: sourceShape.nullable(), cursor: z.json(), sequence: z.number() }),
  ),
});

const recordShape = z.object({
  stream: z.string(),
  key: z.string(),
  verdict: z.enum(VERDICTS),
  serviceId: z.number().optional(),
  deletes: z.number().optional(),
  fields: z.array(
    z.object({
      field: z.string(),
      before: z.json().optional(),
      after: z.json(),
      isShared: z.literal(true).optional(),
    }),
  ),
  code: z.string().optional(),
  reason: z.string().optional(),
});

const endShape = z.object({ records: z.number(), sha256: z.string() });

/** The first line: what was planned, and against what. */
export type PlanHead = z.infer<typeof headShape>;
/** One line per record: what the next run would do with it. */
export type PlanRecord = z.infer<typeof recordShape>;

/** Writes the lines of a plan's file: a head, a line per record, and an end that proves that nothing is missing. */
export class PlanFileText {
  readonly #hash = createHash("sha256");
  readonly #redact: Redact;
  #records = 0;

  constructor(redact: Redact) {
    this.#redact = redact;
  }

  head(head: Omit<PlanHead, "svcsyncPlan">): string {
    return this.#line({ svcsyncPlan: FORMAT, ...head });
  }

  record(planned: PlannedDelivery): string {
    this.#records += 1;
    return this.#line(planRecord(planned, this.#redact));
  }

  end(): string {
    return `${JSON.stringify({ records: this.#records, sha256: this.#hash.copy().digest("hex") })}\n`;
  }

  #line(value: object): string {
    const line = `${JSON.stringify(value)}\n`;
    this.#hash.update(line);
    return line;
  }
}

/** A planned record as the file has it, without secrets. */
export function planRecord(planned: PlannedDelivery, redact: Redact): PlanRecord {
  const { id, verdict, serviceId, deletes, fields, error, reason } = planned;
  return redacted(
    {
      ...id,
      verdict,
      ...(serviceId !== undefined && { serviceId }),
      ...(deletes !== undefined && { deletes }),
      fields: fields.map(({ field, before, after, isShared }) => ({
        field,
        ...(before !== undefined && { before }),
        after,
        ...(isShared && { isShared }),
      })),
      ...(error && { code: error.code }),
      ...(reason !== undefined && { reason }),
    },
    redact,
  );
}

/** What a plan decided about a record, as a text: equal for equal decisions. Wording does not count. */
export function decisionOf({ verdict, serviceId, fields, code }: Omit<PlanRecord, "stream" | "key">): string {
  const written = fields.map(({ field, before, after }): Json => [field, before === undefined ? [] : [before], after]);
  return canonicalJson([verdict, serviceId ?? null, code ?? null, written]);
}

/** A hash of each stream's part of the sync file: another one may decide otherwise. */
export function mappingHashes(streams: readonly Stream[]): Record<StreamName, string> {
  return Object.fromEntries(streams.map((stream) => [stream.name, mappingHash(stream)]));
}

function mappingHash(stream: Stream): string {
  const { source, resource, read, match, create, gone, moved, deletion, fingerprint } = stream;
  const parts = [source, resource, read, match, create, gone, moved, deletion, fingerprint];
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 16);
}

/**
 * Reads the lines of a plan's file: the head first, then each record. Resolves after the end was checked.
 * @throws {ParkError} E_PLAN_FILE when it is no plan, was written in another format, is cut or was changed.
 */
export async function readPlanLines(
  lines: AsyncIterable<string>,
  { path, head, record }: PlanReader,
): Promise<{ readonly records: number }> {
  const hash = createHash("sha256");
  let last: string | undefined;
  let at = 0;
  for await (const line of lines) {
    if (last !== undefined) {
      hash.update(`${last}\n`);
      if (at === 1) await head(headOf(last, path));
      else await record(parsed(recordShape, last, `${path}:${at}`));
    }
    last = line;
    at += 1;
  }
  const records = at - 2;
  const end = last === undefined || records < 0 ? undefined : endShape.safeParse(parsedJson(last)).data;
  if (end === undefined) throw noPlan(path, at === 0 ? "is empty" : "has no end: it was cut, or is no plan");
  if (end.records !== records || end.sha256 !== hash.digest("hex"))
    throw noPlan(path, "was changed, or has lost lines, since svcsync wrote it");
  return { records };
}

export interface PlanReader {
  /** For messages. */
  readonly path: string;
  readonly head: (head: PlanHead) => void | Promise<void>;
  readonly record: (record: PlanRecord) => void | Promise<void>;
}

/** The record that a line is about. */
export function idOf({ stream, key }: Pick<PlanRecord, "stream" | "key">): RecordId {
  return { stream, key };
}

function headOf(line: string, path: string): PlanHead {
  const found = parsedJson(line);
  const { success, data } = z.object({ svcsyncPlan: z.number() }).safeParse(found);
  if (success && data.svcsyncPlan !== FORMAT)
    throw noPlan(path, `has the format ${data.svcsyncPlan}, and this svcsync reads ${FORMAT}`);
  return parsed(headShape, line, `${path}:1`);
}

function parsed<Value>(shape: z.ZodType<Value>, line: string, place: string): Value {
  const { success, data, error } = shape.safeParse(parsedJson(line));
  if (success) return data;
  const [issue] = error.issues;
  throw noPlan(place, `is no line of a plan (${issue?.path.join(".") ?? ""}: ${issue?.message ?? "?"})`);
}

/** @param what is wrong, after the path. */
export function noPlan(path: string, what: string): ParkError {
  return new ParkError("E_PLAN_FILE", `${path} ${what}. Nothing was written`);
}
