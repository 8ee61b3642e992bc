import type { JsonObject, Key, RecordState, StreamName } from "#model";
import type { RecordStore, Standing, StandingStore } from "#store";
import type { Listed, ReturnReader, WholeRecord } from "../contract.ts";

export interface StateReaderDeps {
  readonly store: Pick<RecordStore, "record"> & { readonly standings: StandingStore };
  /** The service's clock, which stamps of all other streams come from. */
  readonly now: () => number;
}

type Page = Awaited<ReturnType<StandingStore["page"]>>;

/** Before all keys. */
const FIRST: Key = "";
const PAGE = 1_000;
const BATCH = 100;
/** Per look; the next one continues from there, so that a look costs the same however many records there are. */
const PAGES_A_LOOK = 20;

/** What the ERP's people are told, by the state of the record. States that pass are not told. */
const WORDS: Readonly<Record<RecordState, string | undefined>> = {
  due: undefined,
  claimed: undefined,
  applied: "in step",
  waiting: "waiting",
  parked: "blocked",
  uncertain: "blocked",
  skipped: "left out",
  deleted: "deleted",
};

/** Reads from the store what became of each record of a stream of the forward lane. Asks the service for nothing. */
export class StateReader implements ReturnReader {
  readonly #deps: StateReaderDeps;
  readonly #stream: StreamName;
  /** What was last shown of each record, so that only changes are looked at. After a restart, all are compared once. */
  readonly #shown = new Map<Key, string>();
  /** Where the next look continues. */
  #after: Key = FIRST;

  constructor(deps: StateReaderDeps, stream: StreamName) {
    this.#deps = deps;
    this.#stream = stream;
  }

  async *changed(cursor: JsonObject | null) {
    for (let read = 0; read < PAGES_A_LOOK; read++) {
      const page = await this.#page(this.#after);
      const news = page.standings.filter((standing) => this.#shown.get(standing.key) !== signature(standing));
      for (let at = 0; at < news.length; at += BATCH) {
        const part = news.slice(at, at + BATCH);
        const shown = part.map((standing) => [standing.key, signature(standing)] as const);
        // What passes while it is looked at is told when it has settled; see `whole`.
        for (const [key, text] of shown) this.#shown.set(key, text);
        let isHandled = false;
        try {
          yield { listed: part.map(listed), cursor: cursor ?? {} };
          isHandled = true;
        } finally {
          if (!isHandled) for (const [key] of shown) this.#shown.delete(key);
        }
      }
      this.#after = page.next ?? FIRST;
      if (page.next === undefined) return;
    }
  }

  async *all(): AsyncGenerator<readonly Listed[]> {
    let after: Key | undefined = FIRST;
    while (after !== undefined) {
      const page: Page = await this.#page(after);
      yield page.standings.map(listed);
      after = page.next;
    }
  }

  async whole(subject: string): Promise<WholeRecord | undefined> {
    const view = await this.#deps.store.record({ stream: this.#stream, key: subject });
    const state = view && WORDS[view.state];
    if (view === undefined || state === undefined) {
      this.#shown.delete(subject);
      return undefined;
    }
    const serviceId = view.binding?.serviceId;
    const record = {
      key: subject,
      state,
      code: view.error?.code ?? null,
      reason: view.error?.message ?? null,
      serviceId: serviceId ?? null,
    };
    return { subject, serviceId, modifiedAt: this.#deps.now(), record };
  }

  #page(after: Key): Promise<Page> {
    return this.#deps.store.standings.page(this.#stream, after, PAGE);
  }
}

function listed({ key }: Standing): Listed {
  return { subject: key };
}

function signature({ state, code, serviceId }: Standing): string {
  return `${state} ${code ?? ""} ${serviceId ?? ""}`;
}
