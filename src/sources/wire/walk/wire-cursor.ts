import { z } from "zod";
import { ParkError, type Cursor, type Json } from "#model";
import { jsonValue } from "../stamps/values.ts";

const openWindow = z.strictObject({
  to: z.number(),
  track: z.int().min(0),
  place: z.strictObject({ at: z.number(), tied: z.boolean().optional(), after: jsonValue.optional() }).optional(),
  nulls: z.strictObject({ after: jsonValue.optional() }).optional(),
});

const schema = z.strictObject({
  /** Everything that the ERP showed up to this instant was read; null if nothing was. */
  read: z.number().nullable(),
  /** The highest stamp that was read, per track. None is ahead of the ERP's clock. */
  highest: z.array(z.number().nullable()).optional(),
  /** Per track, a few rows with the highest stamps. The ERP's filter must show them. */
  newest: z.array(z.array(z.tuple([z.string(), z.number()]))).optional(),
  /** When a poll met a new stamp below its overlap, in epoch milliseconds by the ERP's clock. Others may follow below it. */
  lateAt: z.number().optional(),
  /** A first read by key that was begun. */
  first: z.strictObject({ to: z.number(), after: jsonValue }).optional(),
  /** A window that was begun: it is read to its end before a new one opens. */
  window: openWindow.optional(),
});

/** The position of a poll of a table with stamps. */
export type WireCursor = z.infer<typeof schema>;
export type OpenWindow = z.infer<typeof openWindow>;

const wholeSchema = z.strictObject({ whole: z.strictObject({ after: jsonValue.optional() }) });

/** @throws {ParkError} E_SOURCE_CURSOR when another adapter or another kind of stream made the cursor. */
export function parseWireCursor(cursor: Cursor | null): WireCursor {
  if (cursor === null) return { read: null };
  const parsed = schema.safeParse(cursor);
  if (!parsed.success) throw foreignCursor();
  return parsed.data;
}

/**
 * Returns the position in a table that is read whole; undefined at its beginning.
 * @throws {ParkError} E_SOURCE_CURSOR
 */
export function parseWholeCursor(cursor: Cursor | null): Json | undefined {
  if (cursor === null) return undefined;
  const parsed = wholeSchema.safeParse(cursor);
  if (!parsed.success) throw foreignCursor();
  return parsed.data.whole.after;
}

/** Returns the cursor as the store keeps it, without undefined members. */
export function cursorJson(cursor: WireCursor): Cursor {
  const kept: Cursor = JSON.parse(JSON.stringify(cursor));
  return kept;
}

function foreignCursor(): ParkError {
  return new ParkError(
    "E_SOURCE_CURSOR",
    "the stored cursor was not made by this kind of stream; the stream's adapter or its `changed` was changed. " +
      "Reset the stream's cursor to read it from the beginning",
  );
}
