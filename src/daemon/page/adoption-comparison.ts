import { errorFacts, type Clock } from "#model";
import type { Stream } from "#mapping";
import { adoptionExamples, adoptionReport, type AdoptionReport } from "#operator";
import { AdoptionPlanner, type Matcher } from "#pipeline";
import type { Service } from "#service";
import type { Store } from "#store";
import type { AdoptionState } from "#web";

export interface AdoptionComparisonDeps {
  readonly store: Store;
  readonly service: Pick<Service, "list" | "lookup">;
  readonly matcher: Matcher;
  readonly clock: Clock;
}

/** Compares the ERP's records with the service's when a person asks for it, one run at a time, and keeps the last figures. */
export class AdoptionComparison implements AsyncDisposable {
  readonly #deps: AdoptionComparisonDeps;
  readonly #streams: readonly Stream[];
  readonly #ending = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #state: AdoptionState = { kind: "never" };

  constructor(deps: AdoptionComparisonDeps, streams: readonly Stream[]) {
    this.#deps = deps;
    this.#streams = streams;
  }

  get state(): AdoptionState {
    return this.#state;
  }

  /** Resolves when no comparison is running. */
  get ended(): Promise<void> {
    return this.#running;
  }

  /** Starts a comparison unless one is running. */
  begin(): void {
    if (this.#state.kind === "running") return;
    this.#state = { kind: "running", at: this.#deps.clock.now() };
    this.#running = this.#compare();
  }

  async #compare(): Promise<void> {
    const { store, service, matcher, clock } = this.#deps;
    const reports: AdoptionReport[] = [];
    try {
      // Streams that are not held are planned too, because natural keys of children contain the ids of their parents.
      const planner = new AdoptionPlanner(store, service, matcher);
      for (const stream of this.#streams)
        reports.push(adoptionReport(await planner.plan(stream, this.#ending.signal, adoptionExamples)));
      this.#state = { kind: "done", at: clock.now(), reports };
    } catch (thrown) {
      this.#state = { kind: "failed", at: clock.now(), error: errorFacts(thrown) };
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    await this.#running;
  }
}
