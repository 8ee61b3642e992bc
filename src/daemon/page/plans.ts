import type { Stream } from "#mapping";
import type { Clock, StreamName } from "#model";
import { knownStream, planStream, type StreamPlan } from "#operator";
import type { ChangeGuardSettings, PlannedChange, Planner } from "#pipeline";
import type { Store } from "#store";
import type { DatedPlan } from "#web";

/** How long a person waits for a plan, in milliseconds: a million records take minutes. */
const PLAN_MS = 300_000;

export interface PlansDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly changeGuard: ChangeGuardSettings;
  readonly openPlanner: () => Promise<Planner>;
}

/**
 * Plans for the page: what the next run would write. The guard plans a changed mapping anyway. Other plans are made on request, one at a
 * time per stream.
 */
export class Plans {
  readonly #deps: PlansDeps;
  readonly #streams: readonly Stream[];
  readonly #counted = new Map<StreamName, DatedPlan>();
  readonly #running = new Map<StreamName, Promise<DatedPlan>>();

  constructor(deps: PlansDeps, streams: readonly Stream[]) {
    this.#deps = deps;
    this.#streams = streams;
  }

  /** Counts, for the guard, the updates of a changed mapping, and keeps the plan. */
  async count(planner: Planner, stream: Stream, signal: AbortSignal): Promise<PlannedChange> {
    const { plan } = await this.#plan(planner, stream, signal);
    return { id: plan.plan ?? "", updates: plan.updates, known: plan.known };
  }

  /** Undefined while the guard is still counting. */
  async read(name: StreamName): Promise<DatedPlan | undefined> {
    const planner = await this.#deps.openPlanner();
    if (planner.isChanged(name)) return this.#counted.get(name);
    const running =
      this.#running.get(name) ??
      this.#plan(planner, this.#stream(name), AbortSignal.timeout(PLAN_MS)).finally(() => this.#running.delete(name));
    this.#running.set(name, running);
    return running;
  }

  /** Plans again, so that a person confirms what would be written now. */
  async now(name: StreamName): Promise<DatedPlan> {
    return this.#plan(await this.#deps.openPlanner(), this.#stream(name), AbortSignal.timeout(PLAN_MS));
  }

  async #plan(planner: Planner, stream: Stream, signal: AbortSignal): Promise<DatedPlan> {
    const plan: StreamPlan = await planStream(stream, { ...this.#deps, planner }, signal);
    const dated = { plan, at: this.#deps.clock.now() };
    if (plan.isMappingChanged) this.#counted.set(stream.name, dated);
    return dated;
  }

  #stream(name: StreamName): Stream {
    return knownStream(this.#streams, name);
  }
}
