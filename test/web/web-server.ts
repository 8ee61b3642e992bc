import { isDeepStrictEqual } from "node:util";
import type { Note, NoteStore } from "#store";
import { openMetrics, Redaction } from "#telemetry";
import { startWeb, type WebAddress, type WebDeps } from "#web";
import { memoryLogger } from "../kit/logger.ts";
import { now, sampleStatus } from "./sample-status.ts";

/** The real server on a free port, over the sample unless a part is given. */
export async function sampleWeb(parts: Partial<WebDeps> = {}, address: Partial<WebAddress> = {}) {
  const logger = memoryLogger();
  const web = await startWeb(
    { host: "127.0.0.1", port: 0, ...address },
    {
      status: sampleStatus(),
      access: {},
      pageSecret: "of this store",
      notes: memoryNotes(),
      ready: { needed: { store: () => Promise.resolve() }, reported: {} },
      metrics: openMetrics({ version: "1.2.3", read: () => Promise.resolve({}) }),
      redact: new Redaction(["s3cret"]).redact,
      clock: { now: () => now },
      version: "1.2.3",
      logger,
      ...parts,
    },
  );
  return { url: web.url, logger, [Symbol.asyncDispose]: () => web[Symbol.asyncDispose]() };
}

/** Notes that end with the test. */
export function memoryNotes(): NoteStore {
  const facts = new Map<string, unknown>();
  const read = <Fact>({ name, schema }: Note<Fact>) => schema.optional().parse(structuredClone(facts.get(name)));
  return {
    note: (note) => Promise.resolve(read(note)),
    saveNote: ({ name }, fact) => Promise.resolve(void facts.set(name, fact)),
    replaceNote: (note, known, next) => {
      const isKnown = isDeepStrictEqual(read(note), known);
      if (isKnown) facts.set(note.name, next);
      return Promise.resolve(isKnown);
    },
  };
}

/** The first form of a page that sends something to a record, as a browser would send it. */
export async function formOf(address: string, headers: Readonly<Record<string, string>> = {}) {
  const page = await (await fetch(address, { headers })).text();
  const [, action = "", inside = ""] = /<form[^>]*action="(\/records\/[^"]+)"[^>]*>([\s\S]*?)<\/form>/.exec(page) ?? [];
  const fields = [...inside.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)];
  return {
    action: action.replaceAll("&amp;", "&"),
    fields: Object.fromEntries(fields.map(([, name, value]) => [name!, value!])) as Record<string, string>,
  };
}
