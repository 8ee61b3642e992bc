import { createHash } from "node:crypto";
import { errorFacts, sleep, StopError, WaitError, type StreamName } from "#model";
import type { Stream } from "#mapping";
import { mailingOf, type Service } from "#service";
import type { IntakeStore, NoteStore, Store } from "#store";
import type { Logger } from "#telemetry";
import { firstMailNote, mailConfirmedNote, type FirstMail } from "../holds/mail-hold.ts";
import { maySend, sends } from "./mail-senders.ts";
import type { Planner } from "../plan/planner.ts";

/** How often to look whether the first load was read, and for a confirmation. */
const LOOK_MS = 500;
/** Pause after the service could not be asked. */
const RETRY_MS = 5_000;
/** Up to this many new records may send mail without a person: a small first load, or a trial. */
const FEW = 20;
const MAIL_RESOURCES = new Set(["ticket", "svcDocument"]);

export interface MailGuardDeps {
  readonly store: IntakeStore & NoteStore & Pick<Store, "rounds">;
  readonly service: Pick<Service, "list">;
  readonly logger: Logger;
  readonly openPlanner: () => Promise<Planner>;
  /** Called when a stream may begin, or is held. */
  readonly decided: () => void;
  readonly stop: (error: StopError) => void;
}

/**
 * Holds the first load of a stream whose new records would make the service send mail to many customers, until a person confirms it.
 * Where nothing can send mail the stream begins at once; else when its first load was read and counted.
 */
export class MailGuard {
  readonly #deps: MailGuardDeps;
  readonly #streams: readonly Stream[];
  /** Streams to decide about, and when each is looked at next, in milliseconds by a monotonic clock. */
  readonly #pending = new Map<Stream, number>();

  constructor(deps: MailGuardDeps, streams: readonly Stream[]) {
    this.#deps = deps;
    this.#streams = streams.filter(({ resource }) => MAIL_RESOURCES.has(resource));
  }

  /** Holds the streams that nothing was delivered of yet, before anything is. */
  async begin(): Promise<void> {
    await Promise.all(this.#streams.map((stream) => this.#begin(stream)));
  }

  async #begin(stream: Stream): Promise<void> {
    const { store } = this.#deps;
    const note = firstMailNote(stream.name);
    const known = await store.note(note);
    if (known?.state === "open") return;
    if ((await store.rounds.boundCount(stream.name)) > 0) return await store.saveNote(note, open);
    this.#pending.set(stream, 0);
    await store.saveNote(note, { ...open, state: "counting" });
  }

  /** Decides about the streams until none is left or the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && this.#pending.size > 0) {
      for (const [stream, dueAt] of this.#pending) if (dueAt <= performance.now()) await this.#look(stream, signal);
      await sleep(LOOK_MS, signal);
    }
  }

  async #look(stream: Stream, signal: AbortSignal): Promise<void> {
    const { store, logger, decided } = this.#deps;
    const { name } = stream;
    try {
      const [before, confirmed] = [await store.note(firstMailNote(name)), await store.note(mailConfirmedNote(name))];
      const next = confirmed === idOf(stream) ? open : await this.#decision(stream, before, signal);
      const isNew = JSON.stringify(next) !== JSON.stringify(before);
      if (isNew) {
        await store.saveNote(firstMailNote(name), next);
        decided();
      }
      // Not before it was carried out: a confirmation outlives this process. A newer one stays.
      if (confirmed !== undefined) await store.replaceNote(mailConfirmedNote(name), confirmed, undefined);
      if (next.state === "open") this.#pending.delete(stream);
      if (!isNew || next.state !== "held") return;
      const message = `the first load of ${name} would make the service send mail for ${next.count.toLocaleString("en")} new records`;
      const error = new WaitError("E_MAIL_GUARD", message, { details: next });
      if (before?.state !== "held") logger.error({ stream: name, err: error }, "first load was held by the mail guard");
    } catch (thrown) {
      if (signal.aborted) return;
      if (thrown instanceof StopError) return this.#deps.stop(thrown);
      this.#pending.set(stream, performance.now() + RETRY_MS);
      logger.debug({ stream: name, err: errorFacts(thrown) }, "mail of the first load could not be counted yet");
    }
  }

  async #decision(stream: Stream, before: FirstMail | undefined, signal: AbortSignal): Promise<FirstMail> {
    const { store, service } = this.#deps;
    const { name } = stream;
    // A person has to decide, or to restart after a correction: until then, nothing has to be counted again.
    if (before?.state === "held") return before;
    const mailing = await mailingOf(service, stream, signal);
    if (!maySend(mailing)) return open;
    const { firstLoad, error } = await store.stream(name);
    if (firstLoad) return { ...open, state: error === undefined ? "counting" : "waiting" };
    const planner = await this.#deps.openPlanner();
    let count = 0;
    for await (const planned of planner.plan(name, signal)) if (sends(mailing, planned)) count++;
    return count <= FEW
      ? open
      : {
          state: "held",
          plan: idOf(stream),
          count,
          isKnown: mailing.status?.mailing !== undefined || mailing.status === undefined,
        };
  }
}

const open: FirstMail = { state: "open", plan: "", count: 0, isKnown: true };

/** The same for all rows: what is confirmed is that this stream sends mail. */
function idOf({ name, fingerprint }: Stream): string {
  return createHash("sha256")
    .update(JSON.stringify(["mail", name, fingerprint]))
    .digest("hex")
    .slice(0, 12);
}

/** Stores a person's confirmation of a first load. The daemon, or the next sync, carries it out. */
export async function confirmMail(store: NoteStore, stream: StreamName, plan: string): Promise<void> {
  await store.saveNote(mailConfirmedNote(stream), plan);
}
