import { z } from "zod";
import type { ErrorFacts, FileReport, StreamName } from "#model";
import type { NoteStore } from "#store";
import { noteOfEach } from "./notes.ts";

const refusedFile = z.object({
  name: z.string(),
  code: z.enum(["E_SOURCE_FILE", "E_SOURCE_FILE_LINE"]),
  place: z.string(),
  reason: z.string(),
  at: z.number(),
});

/** A file whose rows are missing, wholly or in part. It stays until a later file of its name is read, or until a person settles it. */
export type RefusedFile = z.infer<typeof refusedFile>;

const refusedFilesNote = noteOfEach("refused-files", z.array(refusedFile).readonly(), { isOfNames: true });

/** How many files the status of a stream names. */
const NAMED = 5;

type Notes = Pick<NoteStore, "note" | "replaceNote">;

/** The stream's refused files, the oldest first. */
export async function refusedFiles(
  store: Pick<NoteStore, "note">,
  stream: StreamName,
): Promise<readonly RefusedFile[]> {
  return (await store.note(refusedFilesNote(stream))) ?? [];
}

/** Keeps what was reported about files. A file replaces an earlier one of its name. Saves nothing if nothing is new. */
export async function keepReports(
  store: Notes,
  stream: StreamName,
  reports: readonly FileReport[],
  now: number,
): Promise<void> {
  if (reports.length === 0) return;
  const names = new Set(reports.map(({ name }) => name));
  const last = new Map(reports.map((report) => [report.name, report]));
  const faulty = [...last.values()].flatMap(({ name, fault }) => (fault ? [{ name, ...fault, at: now }] : []));
  await change(store, stream, (known) => [...known.filter(({ name }) => !names.has(name)), ...faulty]);
}

/** Forgets a refused file, because a person settled it. Resolves to false if the stream has no such file. */
export async function settleFile(store: Notes, stream: StreamName, name: string): Promise<boolean> {
  return await change(store, stream, (known) => known.filter((file) => file.name !== name));
}

/** Polls and people change the list at the same time. Resolves to whether anything was saved. */
async function change(
  store: Notes,
  stream: StreamName,
  next: (known: readonly RefusedFile[]) => readonly RefusedFile[],
): Promise<boolean> {
  for (;;) {
    const known = await store.note(refusedFilesNote(stream));
    const wanted = next(known ?? []);
    if (wanted.length === (known ?? []).length && wanted.every((file) => known?.includes(file))) return false;
    if (await store.replaceNote(refusedFilesNote(stream), known, wanted.length === 0 ? undefined : wanted)) return true;
  }
}

/** One sentence for each of the first files, and one for the others. */
export function refusedSentences(stream: StreamName, files: readonly RefusedFile[]): string[] {
  const remedy = `"svcsync files ${stream}" shows how to settle it`;
  const sentences = files.slice(0, NAMED).map((file) => `${refusalText(file)}; ${remedy}`);
  const more = files.length - NAMED;
  return more > 0 ? [...sentences, `${more} more files were refused; "svcsync files ${stream}" lists them`] : sentences;
}

export function refusalText({ name, code, place, reason }: RefusedFile): string {
  const what = code === "E_SOURCE_FILE" ? "was refused, and none of its rows was used" : "was read, but not all of it";
  return `the file ${name} ${what}: ${place}: ${reason} (${code})`;
}

/** The first refused file as the error of its stream. */
export function refusedError(files: readonly RefusedFile[]): (ErrorFacts & { readonly at: number }) | undefined {
  const [first] = files;
  if (first === undefined) return undefined;
  const { name, code, place, reason, at } = first;
  return { code, message: `${place}: ${reason}`, details: { file: name }, at };
}
