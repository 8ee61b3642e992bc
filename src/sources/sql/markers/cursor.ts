import { createHash } from "node:crypto";
import { z } from "zod";
import { canonicalJson, type Cursor, type Json } from "#model";
import type { SqlCell } from "../engines/engine.ts";

const cell = z.union([
  z.string(),
  z.number(),
  z.boolean(),
  z.strictObject({ int: z.string() }),
  z.strictObject({ bytes: z.string() }),
]);

const pending = z.strictObject({
  mark: z.string(),
  /** The server's clock when `mark` was taken, in epoch milliseconds. */
  atMs: z.number(),
  /** The transactions that were open then; absent if the server does not show them. */
  open: z.array(z.string()).readonly().optional(),
});

/** Up to where a stream has been read for good, and the next such mark, which open transactions still hold back. */
const settled = z.strictObject({
  /** Everything up to here has been seen; null if nothing has. */
  mark: z.string().nullable(),
  pending: pending.optional(),
  /** The highest stamp so far, as the database writes it. */
  highest: z.array(cell).readonly().optional(),
  /** The server's clock, in epoch milliseconds, when a new stamp below the overlap came. Others may follow below it. */
  lateAtMs: z.number().optional(),
});

/** An unfinished poll: what it reads, how far it got, and what applies once it is done. */
const progress = z.strictObject({
  phase: z.enum(["whole", "unset", "window", "future"]),
  lower: z.string().nullable(),
  upper: z.string(),
  /** The highest stamp of the previous poll. */
  since: z.array(cell).readonly().optional(),
  position: z.array(cell).optional(),
  after: settled,
});

const schema = z.strictObject({
  version: z.literal(1),
  /** Identifies the settings that give the marks their meaning. With other settings the stream is read from the beginning. */
  read: z.string(),
  settled,
  progress: progress.optional(),
});

export type SqlCursor = z.output<typeof schema>;
export type Pending = z.output<typeof pending>;
export type Settled = z.output<typeof settled>;
export type PollProgress = z.output<typeof progress>;
export type StoredCell = z.output<typeof cell>;
export type Phase = PollProgress["phase"];

/** Returns the adapter's cursor, or undefined if it does not fit. The stream is then read from the beginning. */
export function parseCursor(cursor: Cursor | null, read: string): SqlCursor | undefined {
  const parsed = schema.safeParse(cursor);
  return parsed.success && parsed.data.read === read ? parsed.data : undefined;
}

export function storedCursor(cursor: SqlCursor): Cursor {
  const plain: Json = JSON.parse(JSON.stringify(cursor));
  return plain;
}

/** Identifies settings: the result is the same exactly if a cursor means the same place. */
export function fingerprint(settings: unknown): string {
  const plain: Json = JSON.parse(JSON.stringify(settings));
  return createHash("sha256").update(canonicalJson(plain)).digest("hex").slice(0, 16);
}

/** Returns the cells of keys and stamps as JSON. Whole numbers keep every digit. */
export function storedCells(cells: readonly SqlCell[]): StoredCell[] {
  return cells.map((value) => {
    if (typeof value === "bigint") return { int: value.toString() };
    if (value instanceof Uint8Array) return { bytes: Buffer.from(value).toString("base64") };
    if (value === null) throw new TypeError("a position holds no null");
    return value;
  });
}

export function restoredCells(stored: readonly StoredCell[]): SqlCell[] {
  return stored.map((value) => {
    if (typeof value !== "object") return value;
    return "int" in value ? BigInt(value.int) : Buffer.from(value.bytes, "base64");
  });
}
