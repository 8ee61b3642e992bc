import { AsyncLocalStorage } from "node:async_hooks";
import { errorFacts, recordName, untilNext, parsedJson, shortened, type Clock, type Json, type RecordId } from "#model";
import type { QueueHandlers } from "#queue";
import type { ServiceContext } from "#service";
import { StoreNews } from "#pipeline";
import type { WatchedExchange, Store, Watch, WatchStore } from "#store";
import { isSecretField, redactedMark, type Logger } from "#telemetry";

/** How often the watches are read, in milliseconds: how soon another process's command takes effect. */
const LOOK_MS = 1_000;
/** Exchanges kept per record; a delivery makes one to five. */
const KEPT = 50;
/** How much of a body is kept, in characters. */
const BODY_LENGTH = 16_384;

type Request = Parameters<NonNullable<ServiceContext["requested"]>>[0];

/** Stores requests and answers of records that people watch. It does nothing for other records. */
export class RecordWatch {
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #running = new AsyncLocalStorage<RecordId>();
  readonly #saving = new Set<Promise<void>>();
  #store: WatchStore | undefined;
  #news: StoreNews | undefined;
  #watches: ReadonlyMap<string, Watch> = new Map();

  constructor(clock: Clock, logger: Logger) {
    this.#clock = clock;
    this.#logger = logger;
  }

  /** Reads the watches from the store. */
  async open(store: Pick<Store, "watches" | "revision">): Promise<void> {
    this.#store = store.watches;
    this.#news = new StoreNews(store);
    await this.#look();
  }

  /** Reads the watches again whenever they may have changed, until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await untilNext(LOOK_MS, signal);
      if (await this.#news?.any()) await this.#look();
    }
  }

  /** Wraps the handlers: exchanges of watched records are stored before their deliveries end. */
  watching(handlers: QueueHandlers): QueueHandlers {
    return {
      poll: (stream, signal) => handlers.poll(stream, signal),
      deliver: (id, signal) => {
        const watch = this.#watches.size === 0 ? undefined : this.#watches.get(recordName(id));
        if (watch === undefined || watch.until <= this.#clock.now()) return handlers.deliver(id, signal);
        return this.#running.run(id, async () => {
          await handlers.deliver(id, signal);
          await Promise.all(this.#saving);
        });
      },
    };
  }

  readonly requested = (request: Request): void => {
    const id = this.#running.getStore();
    if (id === undefined || this.#store === undefined) return;
    const saving = this.#store
      .saveExchange(id, exchangeOf(request, this.#clock.now()), KEPT)
      .catch((thrown: unknown) => this.#logger.warn({ ...id, err: errorFacts(thrown) }, "exchange was not kept"))
      .finally(() => this.#saving.delete(saving));
    this.#saving.add(saving);
  };

  async #look(): Promise<void> {
    try {
      const before = this.#watches;
      const found = (await this.#store?.watches(this.#clock.now())) ?? [];
      this.#watches = new Map(found.map((watch) => [recordName(watch.id), watch]));
      // Read again even without news, because a watch ends at its time.
      if (this.#watches.size > 0) this.#news?.lookAgain();
      for (const [name, { id, until }] of this.#watches)
        if (!before.has(name)) this.#logger.info({ ...id, until: new Date(until).toISOString() }, "record watch began");
      for (const [name, { id }] of before)
        if (!this.#watches.has(name)) this.#logger.info({ ...id }, "record watch ended");
    } catch (thrown) {
      this.#news?.lookAgain();
      this.#logger.debug({ err: errorFacts(thrown) }, "watches were not read");
    }
  }
}

function exchangeOf({ method, url, body, answer, failure, durationMs }: Request, at: number): WatchedExchange {
  const { pathname, search, searchParams } = new URL(url);
  const isList = searchParams.has("limit");
  return {
    at,
    method,
    path: pathname + search,
    ...(body === undefined ? {} : { sent: bodyText(JSON.stringify(body)) }),
    ...(answer === undefined
      ? {}
      : {
          status: answer.status,
          answer: isList && answer.ok ? `(a list of ${answer.bytes.length} bytes)` : bodyText(textOf(answer)),
        }),
    ...(failure === undefined ? {} : { failure }),
    durationMs,
  };
}

function textOf(answer: NonNullable<Request["answer"]>): string {
  try {
    return answer.text();
  } catch {
    return answer.excerpt;
  }
}

/** Redacts the values of members that are secret by their name. A text that is not complete JSON stays unchanged. */
function bodyText(text: string): string {
  return shortened(withoutSecrets(text), BODY_LENGTH);
}

function withoutSecrets(text: string): string {
  const value = parsedJson(text);
  if (value === undefined) return text;
  return JSON.stringify(value, (name, member: Json) => (isSecretField(name) ? redactedMark : member));
}
