import { z } from "zod";
import { ParkError, type Cursor } from "#model";

/** How many applied files a stream remembers. A file that comes again under the same name is recognised by its content. */
const REMEMBERED = 200;

const schema = z.strictObject({
  /** Files that were seen but not taken yet: their size and time, and since when these are unchanged. */
  seen: z.record(z.string(), z.strictObject({ size: z.number(), modifiedAt: z.number(), since: z.number() })),
  /** The content last applied under each name, the latest last. */
  applied: z.array(z.strictObject({ name: z.string(), sha256: z.string() })),
  /** The stamp of the last file that was read to its end. All files claimed later are still to be read. */
  last: z.string().optional(),
  /** The file being read, and how many of its rows are stored. */
  current: z.strictObject({ stamp: z.string(), rows: z.number() }).optional(),
});

export type FilesCursor = z.infer<typeof schema>;

/** @throws {ParkError} E_SOURCE_CURSOR when another kind of stream made the cursor. */
export function parseFilesCursor(cursor: Cursor | null): FilesCursor {
  if (cursor === null) return { seen: {}, applied: [] };
  const parsed = schema.safeParse(cursor);
  if (parsed.success) return parsed.data;
  throw new ParkError(
    "E_SOURCE_CURSOR",
    "the stored cursor was not made by a stream of files; reset the stream's cursor",
  );
}

export function remember(applied: FilesCursor["applied"], name: string, sha256: string): FilesCursor["applied"] {
  return [...applied.filter((one) => one.name !== name), { name, sha256 }].slice(-REMEMBERED);
}

export function filesCursorJson({ seen, applied, last, current }: FilesCursor): Cursor {
  return { seen, applied, ...(last === undefined ? {} : { last }), ...(current === undefined ? {} : { current }) };
}
