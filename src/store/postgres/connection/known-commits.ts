/** What is committed, and on which run of the database's server. */
export interface Committed {
  readonly server: number;
  readonly steps: number;
  readonly creates: number;
}

const NOTHING: Committed = { server: 0, steps: 0, creates: 0 };

/** What this process knows to be committed. A store that has less of it lost commits in a failover. */
export class KnownCommits {
  #known = NOTHING;

  get steps(): number {
    return this.#known.steps;
  }

  /** As the functions of the schema take it. */
  get values(): readonly number[] {
    const { server, steps, creates } = this.#known;
    return [server, steps, creates];
  }

  /** The store told what it has. One on a server that was not known yet has proven that it lacks nothing. */
  hear({ server = this.#known.server, steps = 0, creates = 0 }: Partial<Committed> = {}): void {
    const before = this.#known.server === server ? this.#known : NOTHING;
    this.#known = { server, steps: Math.max(steps, before.steps), creates: Math.max(creates, before.creates) };
  }
}
