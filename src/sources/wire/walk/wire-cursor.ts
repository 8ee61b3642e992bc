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
  /** Everything the ERP showed up to this instant was read; null: nothing yet. */
  read: z.number().nullable(),
  /** The highest stamp that was read, by track; none is ahead of the ERP's clock. */
  highest: z.array(z.number().nullable()).optional(),
  /** When a poll met a new stamp below its overlap, epoch milliseconds by the ERP's clock: others may follow below it. */
  lateAt: z.number().optional(),
  /** A first reading by key that was begun. */
  first: z.strictObject({ to: z.number(), after: jsonValue }).optional(),
  /** A window that was begun: it is read to its end before a new one opens. */
  window: openWindow.optional(),
});

/** Where a poll of a stamped table stands. */
export type WireCursor = z.infer<typeof schema>;
export type OpenWindow = z.infer<typeof openWindow>;

const wholeSchema = z.strictObject({ whole: z.strictObject({ after: jsonValue.optional() }) });

/** @throws {ParkError} E_SOURCE_CURSOR when it was made by another adapter or for another kind of stream. */
export function parseWireCursor(cursor: Cursor | null): WireCursor {
  if (cursor === null) return { read: null };
  const parsed = schema.safeParse(cursor);
  if (!parsed.success) throw foreignCursor();
  return parsed.data;
}

/** The place of a table that is read whole; undefined at its beginning. @throws {ParkError} E_SOURCE_CURSOR */
export function parseWholeCursor(cursor: Cursor | null): Json | undefined {
  if (cursor === null) return undefined;
  const parsed = wholeSchema.safeParse(cursor);
  if (!parsed.success) throw foreignCursor();
  return parsed.data.whole.after;
}

/** A cursor as the store keeps it: members that are undefined are left out. */
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
