/** How many steps and creates are committed, and the server run (`server`) on which they were counted. */
export interface Committed {
  readonly server: number;
  readonly steps: number;
  readonly creates: number;
}

const NOTHING: Committed = { server: 0, steps: 0, creates: 0 };

/** The commits that this process knows of. A store that has fewer has lost commits in a failover. */
export class KnownCommits {
  #known = NOTHING;

  get steps(): number {
    return this.#known.steps;
  }

  /** The arguments for the functions of the schema. */
  get values(): readonly number[] {
    const { server, steps, creates } = this.#known;
    return [server, steps, creates];
  }

  /** Notes what the store reports. A server that was not known before has proven that it lacks nothing. */
  note({ server = this.#known.server, steps = 0, creates = 0 }: Partial<Committed> = {}): void {
    const before = this.#known.server === server ? this.#known : NOTHING;
    this.#known = { server, steps: Math.max(steps, before.steps), creates: Math.max(creates, before.creates) };
  }
}
