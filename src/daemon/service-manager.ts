import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { errorFacts, oneLine, sleep } from "#model";
import { childEnvironment, notifyAccess, type NotifyAccess } from "#settings";
import type { Standby, WaitReason } from "#store";
import type { Logger } from "#telemetry";
import { startStandbyWeb } from "#web";
import { Closing } from "./closing.ts";
import type { Configuration } from "./systems/systems.ts";

const run = promisify(execFile);
/** Longer than systemd-notify itself waits for systemd, which is at most five seconds. */
const tellTimeoutMs = 10_000;
/** Beats per watchdog interval: systemd restarts the process only after two lost beats. */
const BEATS_PER_LIMIT = 3;

/**
 * Reports to systemd, if it started this process as `Type=notify`; otherwise does nothing. Node cannot send datagrams to a Unix socket, so
 * it runs systemd's own program, which needs `NotifyAccess=all`. Reports never throw.
 */
export class ServiceManager {
  readonly #logger: Logger;
  readonly #access: NotifyAccess | undefined;
  #wasHeard = true;

  constructor(logger: Logger, access: NotifyAccess | undefined = notifyAccess()) {
    this.#logger = logger;
    this.#access = access;
  }

  async ready(status: string): Promise<void> {
    await this.#tell("READY=1", `STATUS=${oneLine(status)}`);
  }

  async stopping(status: string): Promise<void> {
    await this.#tell("STOPPING=1", `STATUS=${oneLine(status)}`);
  }

  /**
   * Feeds the watchdog as long as `prove` resolves in time. If it rejects, the reason becomes the status, and systemd restarts the process
   * unless a later proof succeeds. Disposing the result ends it.
   */
  feed(prove: () => Promise<void>, status: string): AsyncDisposable {
    const over = new AbortController();
    const running = this.#run(prove, status, over.signal);
    return {
      async [Symbol.asyncDispose]() {
        over.abort();
        await running;
      },
    };
  }

  async #run(prove: () => Promise<void>, status: string, signal: AbortSignal): Promise<void> {
    const everyMs = (this.#access?.watchdogMs ?? 0) / BEATS_PER_LIMIT;
    if (everyMs === 0) return;
    while (!signal.aborted) {
      const problem = await Promise.race([
        prove().then(
          () => undefined,
          (thrown: unknown) => errorFacts(thrown).message,
        ),
        sleep(everyMs * BEATS_PER_LIMIT, signal).then(() => "the store or the queue does not answer"),
      ]);
      if (signal.aborted) return;
      if (problem === undefined) await this.#tell("WATCHDOG=1", `STATUS=${oneLine(status)}`);
      else await this.#tell(`STATUS=Standing still: ${oneLine(problem)}`);
      await sleep(everyMs, signal);
    }
  }

  async #tell(...words: readonly string[]): Promise<void> {
    if (this.#access === undefined) return;
    const env = { ...childEnvironment(), NOTIFY_SOCKET: this.#access.socket };
    try {
      await run("systemd-notify", words, { env, timeout: tellTimeoutMs });
      this.#wasHeard = true;
    } catch (thrown) {
      if (this.#wasHeard) this.#logger.warn({ err: errorFacts(thrown) }, "systemd could not be told");
      this.#wasHeard = false;
    }
  }
}

const waitReasons: Readonly<Record<WaitReason, string>> = {
  alone: "without QUEUE_URL one daemon works at a time",
  holderAlone: "that one has no QUEUE_URL",
  tablesChange: "that one is changing the tables of the store",
  otherTables: "that one works on the tables of another version, which change once all of that version have ended",
};

/** Lets this daemon wait while another one holds the store: alive for its supervisor, but not ready. */
export function standbyOf({ settings, logger }: Configuration, manager: ServiceManager, signal: AbortSignal): Standby {
  return {
    signal,
    waits: async (holder, reason) => {
      const waiting = new Closing();
      const why = waitReasons[reason];
      const status = `Standing by: ${holder} has the store`;
      waiting.use(await startStandbyWeb(settings.health, holder, why));
      logger.info({ holder, why }, "standing by for the daemon that has the store");
      await manager.ready(status);
      waiting.use(manager.feed(() => Promise.resolve(), status));
      return waiting;
    },
  };
}
