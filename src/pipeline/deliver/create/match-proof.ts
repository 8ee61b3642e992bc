import { errorFacts, WaitError, type Json, type Projection, type ServiceId, type StreamName } from "#model";
import type { Stream } from "#mapping";
import type { Service, Written } from "#service";
import type { NoteStore, RecordStore, Store } from "#store";
import type { Logger } from "#telemetry";
import { ruleNames } from "../../holds/adoption-gate.ts";
import { closedNote, keptNote } from "../../notes.ts";
import { naturalKey } from "../../match/natural-key.ts";

/**
 * When a record in flight is due again after its stream was held, in case the stream is opened. A held stream starts no other
 * deliveries.
 */
const HELD_MS = 60_000;
/** Pause of a create that waits for the leader's trial: about as long as a trial takes. */
const UNPROVEN_MS = 1_000;

export interface MatchProofDeps {
  readonly store: NoteStore & Pick<RecordStore, "boundTo"> & Pick<Store, "cluster">;
  readonly service: Pick<Service, "read">;
  readonly logger: Logger;
  /** Holds the stream. Resolves once the hold is stored. */
  readonly close: (stream: Stream, error: WaitError) => Promise<void>;
}

/**
 * Proves with a stream's first create that the service keeps the fields that records are found by. Until then a stream creates one
 * record at a time, and none after a record that cannot be found again.
 */
export class MatchProof {
  readonly #deps: MatchProofDeps;
  readonly #proven = new Set<StreamName>();
  readonly #trials = new Map<StreamName, Promise<Written>>();

  constructor(deps: MatchProofDeps) {
    this.#deps = deps;
  }

  /**
   * Runs a create. If nothing is proven yet, it runs alone and the record is read back before the next create.
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
      if (!this.#deps.store.cluster.state.isLeader) throw unproven(stream);
      const running = this.#trials.get(stream.name);
      if (!running) return this.#begin(stream, sent, create, signal);
      await Promise.allSettled([running]);
    }
    return create();
  }

  /** Resolves once no create is running whose result proves something. */
  async trialsEnded(): Promise<void> {
    await Promise.allSettled(this.#trials.values());
  }

  /** Notes that a record was found by its natural key, which proves that the service keeps the key. */
  async found(stream: Stream): Promise<void> {
    if (this.#proven.has(stream.name)) return;
    this.#proven.add(stream.name);
    await this.#deps.store.saveNote(keptNote(stream.name), ruleNames(stream));
  }

  /** Whether the stream is proven. A stream that was held for the opposite stays held until a person lets it through. */
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

  /** Reads the created record back. If that fails, the next create is the trial. */
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
    // The answer's id belongs to another record, so it proves nothing. Binding it will report the error.
    if (await store.boundTo({ resource, serviceId })) return;
    const reason = `the service does not keep ${fields.join(", ")} as it was sent (${resource} ${serviceId}): records of ${name} could not be found again`;
    await close(stream, dropped(reason, { resource, serviceId, fields }));
  }
}

function dropped(reason: string, details: Record<string, Json> = {}): WaitError {
  return new WaitError("E_MATCH_DROPPED", reason, { afterMs: HELD_MS, details });
}

/** The error of a create on another process: only the leader makes the trial, because only the leader can hold the stream. */
function unproven({ name }: Stream): WaitError {
  return new WaitError("E_MATCH_UNPROVEN", `the first record of ${name} is created by the leading process`, {
    afterMs: UNPROVEN_MS,
  });
}
