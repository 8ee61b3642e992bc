import { errorFacts, WaitError, type Json, type Projection, type ServiceId, type StreamName } from "#model";
import type { Stream } from "#mapping";
import type { Service, Written } from "#service";
import type { NoteStore, RecordStore, Store } from "#store";
import type { Logger } from "#telemetry";
import { ruleNames } from "../wake/adoption-gate.ts";
import { closedNote, keptNote } from "../notes.ts";
import { naturalKey } from "./natural-key.ts";

/** A stream that is held hands out no more work; a record in flight is due again after this, in case the stream is opened. */
const HELD_MS = 60_000;
/** A trial takes about as long. */
const UNPROVEN_MS = 1_000;

export interface MatchProofDeps {
  readonly store: NoteStore & Pick<RecordStore, "boundTo"> & Pick<Store, "replicas">;
  readonly service: Pick<Service, "read">;
  readonly logger: Logger;
  /** Holds the stream, and notes so before it resolves. */
  readonly close: (stream: Stream, error: WaitError) => Promise<void>;
}

/**
 * Proves on a stream's first create that the service keeps what records are found by. As long as that is open, a stream
 * creates one record at a time, and none after one that cannot be found again.
 */
export class MatchProof {
  readonly #deps: MatchProofDeps;
  readonly #proven = new Set<StreamName>();
  readonly #trials = new Map<StreamName, Promise<Written>>();

  constructor(deps: MatchProofDeps) {
    this.#deps = deps;
  }

  /**
   * Does a create, alone when nothing is proven yet; the record is then read back before the next one.
   * @throws {WaitError} E_MATCH_DROPPED when the stream was held meanwhile.
   */
  async create(
    stream: Stream,
    sent: Projection,
    create: () => Promise<Written>,
    signal: AbortSignal,
  ): Promise<Written> {
    if (!stream.match.some((rule) => naturalKey(rule, sent) !== undefined)) return create();
    while (!(await this.#isProven(stream))) {
      if (!this.#deps.store.replicas.state.isLeader) throw unproven(stream);
      const running = this.#trials.get(stream.name);
      if (!running) return this.#begin(stream, sent, create, signal);
      await Promise.allSettled([running]);
    }
    return create();
  }

  /** Resolves when no create runs any more that proves something. */
  async trialsEnded(): Promise<void> {
    await Promise.allSettled(this.#trials.values());
  }

  /** A record was found by its natural key: the service keeps it. */
  async found(stream: Stream): Promise<void> {
    if (this.#proven.has(stream.name)) return;
    this.#proven.add(stream.name);
    await this.#deps.store.saveNote(keptNote(stream.name), ruleNames(stream));
  }

  /** A stream that was held for the opposite stays so until a person lets it through. */
  async #isProven(stream: Stream): Promise<boolean> {
    const { store } = this.#deps;
    const { name } = stream;
    if (this.#proven.has(name)) return true;
    const [kept, closed] = await Promise.all([store.note(keptNote(name)), store.note(closedNote(name))]);
    if (closed?.rules === ruleNames(stream)) throw dropped(closed.reason);
    if (kept === ruleNames(stream)) this.#proven.add(name);
    return this.#proven.has(name);
  }

  #begin(stream: Stream, sent: Projection, create: () => Promise<Written>, signal: AbortSignal): Promise<Written> {
    const trial = this.#try(stream, sent, create, signal).finally(() => this.#trials.delete(stream.name));
    this.#trials.set(stream.name, trial);
    return trial;
  }

  async #try(stream: Stream, sent: Projection, create: () => Promise<Written>, signal: AbortSignal): Promise<Written> {
    const written = await create();
    await this.#prove(stream, written.serviceId, sent, signal);
    return written;
  }

  /** Without a word about the record, the next create is the trial. */
  async #prove(stream: Stream, serviceId: ServiceId, sent: Projection, signal: AbortSignal): Promise<void> {
    const { store, service, logger, close } = this.#deps;
    const { name, resource, match } = stream;
    const fields = [...new Set(match.flatMap((rule) => rule.fields))];
    const record = await service.read(resource, serviceId, fields, signal, sent).catch((thrown: unknown) => {
      logger.debug({ stream: name, resource, serviceId, err: errorFacts(thrown) }, "first record was not read back");
      return undefined;
    });
    if (!record) return;
    const isKept = match.some((rule) => {
      const key = naturalKey(rule, sent);
      return key !== undefined && key === naturalKey(rule, record);
    });
    if (isKept) return this.found(stream);
    // The answer named a record that is not the new one: binding it will tell.
    if (await store.boundTo({ resource, serviceId })) return;
    const reason = `the service does not keep ${fields.join(", ")} as it was sent (${resource} ${serviceId}): records of ${name} could not be found again`;
    await close(stream, dropped(reason, { resource, serviceId, fields }));
  }
}

function dropped(reason: string, details: Record<string, Json> = {}): WaitError {
  return new WaitError("E_MATCH_DROPPED", reason, { afterMs: HELD_MS, details });
}

/** One create may be the trial, so one replica makes it: the one that can hold the stream. */
function unproven({ name }: Stream): WaitError {
  return new WaitError("E_MATCH_UNPROVEN", `the first record of ${name} is created by the replica that leads`, {
    afterMs: UNPROVEN_MS,
  });
}
