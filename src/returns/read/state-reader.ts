import type { JsonObject, Key, RecordState, StreamName } from "#model";
import type { RecordStore, Standing, StandingStore } from "#store";
import type { Listed, ReturnReader, WholeRecord } from "../contract.ts";

export interface StateReaderDeps {
  readonly store: Pick<RecordStore, "record"> & { readonly standings: StandingStore };
  /** The service's clock, which stamps of all other streams come from. */
  readonly now: () => number;
}

const PAGE = 1_000;
const BATCH = 100;

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

  constructor(deps: StateReaderDeps, stream: StreamName) {
    this.#deps = deps;
    this.#stream = stream;
  }

  async *changed(cursor: JsonObject | null) {
    for await (const page of this.#pages()) {
      const news = page.filter((standing) => this.#shown.get(standing.key) !== signature(standing));
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
    }
  }

  async *all(): AsyncGenerator<readonly Listed[]> {
    for await (const page of this.#pages()) yield page.map(listed);
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

  async *#pages(): AsyncGenerator<readonly Standing[]> {
    let after: number | undefined = 0;
    do {
      const page: Awaited<ReturnType<StandingStore["page"]>> = await this.#deps.store.standings.page(
        this.#stream,
        after,
        PAGE,
      );
      yield page.standings;
      after = page.next;
    } while (after !== undefined);
  }
}

function listed({ key }: Standing): Listed {
  return { subject: key };
}

function signature({ state, code, serviceId }: Standing): string {
  return `${state} ${code ?? ""} ${serviceId ?? ""}`;
}
