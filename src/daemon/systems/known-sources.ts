import { createHash } from "node:crypto";
import { z } from "zod";
import { ParkError, type Clock, type StreamName } from "#model";
import { isSameSource, type SourceIdentity, type SourceStream } from "#sources";
import type { IntakeStore, Note, NoteStore } from "#store";

/** How long an answer of the ERP about itself is believed, in milliseconds. An address may lead to another server without a restart. */
const BELIEVED_MS = 60_000;

const shape: z.ZodType<SourceIdentity> = z.object({
  address: z.string(),
  own: z.string().optional(),
  isOwnOfServer: z.boolean().optional(),
  part: z.string(),
});

/** The data that the records of a stream come from. */
export const sourceNote = (stream: StreamName): Note<SourceIdentity> => ({
  name: `source/${stream}`,
  schema: shape,
  isOfNames: true,
});

export interface KnownSourcesDeps {
  readonly store: NoteStore & Pick<IntakeStore, "stream">;
  readonly clock: Pick<Clock, "now">;
  /** The former sources of which a person said that the present one is the same (SOURCE_FORMER). */
  readonly former: readonly string[];
}

type Identify = (signal: AbortSignal) => Promise<SourceIdentity>;

/**
 * Refuses to read a stream from other data than its records come from: the same keys mean other records there. The first read
 * remembers which data it is.
 */
export class KnownSources {
  readonly #deps: KnownSourcesDeps;
  readonly #believedUntil = new Map<StreamName, number>();

  constructor(deps: KnownSourcesDeps) {
    this.#deps = deps;
  }

  /** Returns the stream with reads that throw E_SOURCE_OTHER where they would lead to other data. */
  guarded(name: StreamName, stream: SourceStream, identify: Identify): SourceStream {
    const expect = (signal: AbortSignal) => this.#expect(name, identify, signal);
    async function* after<Batch>(signal: AbortSignal, read: () => AsyncIterable<Batch>): AsyncGenerator<Batch> {
      await expect(signal);
      yield* read();
    }
    const { readMany } = stream;
    return {
      capabilities: stream.capabilities,
      changes: (cursor, signal) => after(signal, () => stream.changes(cursor, signal)),
      keys: (signal) => after(signal, () => stream.keys(signal)),
      async readOne(key, signal) {
        await expect(signal);
        return stream.readOne(key, signal);
      },
      check: (signal) => stream.check(signal),
      ...(readMany && {
        async readMany(keys, signal) {
          await expect(signal);
          return readMany(keys, signal);
        },
      }),
      ...(stream.keyless && { keyless: (signal: AbortSignal) => stream.keyless!(signal) }),
      ...(stream.deletions && {
        deletions: (...[cursor, signal]: Parameters<NonNullable<SourceStream["deletions"]>>) =>
          after(signal, () => stream.deletions!(cursor, signal)),
      }),
      ...(stream.peek && { peek: (...of: Parameters<NonNullable<SourceStream["peek"]>>) => stream.peek!(...of) }),
    };
  }

  /** Returns why the stream may not be read from this data; undefined if it may. Remembers nothing. */
  async refusal(name: StreamName, now: SourceIdentity): Promise<ParkError | undefined> {
    return this.#refusal(name, now, await this.#deps.store.note(sourceNote(name)));
  }

  async #refusal(
    name: StreamName,
    now: SourceIdentity,
    known: SourceIdentity | undefined,
  ): Promise<ParkError | undefined> {
    const { store, former } = this.#deps;
    if (known === undefined || isSameSource(known, now) || former.includes(idOf(known))) return undefined;
    // Nothing was ever read from the known one: it was misspelt, for example.
    const { cursor, sequence } = await store.stream(name);
    return cursor === null && sequence === 0 ? undefined : otherSource(name, known, now);
  }

  async #expect(name: StreamName, identify: Identify, signal: AbortSignal): Promise<void> {
    const { store, clock } = this.#deps;
    const believedUntil = this.#believedUntil.get(name);
    const at = clock.now();
    if (believedUntil !== undefined && at < believedUntil && at > believedUntil - 2 * BELIEVED_MS) return;
    const now = await identify(signal);
    const known = await store.note(sourceNote(name));
    const refused = await this.#refusal(name, now, known);
    if (refused) throw refused;
    const next = known && now.own === undefined && isSameSource(known, now) ? { ...now, own: known.own } : now;
    if (JSON.stringify(next) !== JSON.stringify(known)) await store.saveNote(sourceNote(name), next);
    this.#believedUntil.set(name, at + BELIEVED_MS);
  }
}

/** Identifies a former source in SOURCE_FORMER. */
function idOf({ address, own, part }: SourceIdentity): string {
  return createHash("sha256")
    .update(JSON.stringify([address, own ?? "", part]))
    .digest("hex")
    .slice(0, 12);
}

function otherSource(name: StreamName, known: SourceIdentity, now: SourceIdentity): ParkError {
  return new ParkError(
    "E_SOURCE_OTHER",
    `the records of ${name} come from ${textOf(known)}, and the source leads to ${textOf(now)}; nothing of it is read. If that is the same data at another place, set SOURCE_FORMER=${idOf(known)} and restart`,
    { details: { known: textOf(known), found: textOf(now), former: idOf(known) } },
  );
}

function textOf({ address, own, part }: SourceIdentity): string {
  const more = [part, own ?? ""].filter((text) => text !== "");
  return more.length === 0 ? address : `${address} (${more.join(", ")})`;
}
