import { cp, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { sleep } from "#model";
import type { Dice } from "./dice.ts";
import type { Keeper } from "./keeper.ts";
import type { MachineTrouble } from "./machine-trouble.ts";
import type { Operator } from "./operator.ts";
import { SETTLE_LAG_SECONDS, type Rig } from "./rig.ts";

/** Beyond what `SETTLE_LAG_SECONDS` says. */
const SETTLED_MS = SETTLE_LAG_SECONDS * 1_000 + 500;
/** A copy that is only just older than the service is put back after this, whatever the service was given since. */
const LIVE_MAX_MS = 20_000;
const LOOK_MS = 100;

/** The store is lost or put back to an earlier state, and the operator does what the documentation says. */
export class StoreTrouble {
  backupsRestored = 0;
  copiesPutBack = 0;
  /** Of those, how often the queue had forgotten what proves it. */
  copiesUnproven = 0;
  rebuilds = 0;
  readonly #rig: Rig;
  readonly #keeper: Keeper;
  readonly #machine: MachineTrouble;
  readonly #operator: Operator;
  readonly #dice: Dice;
  readonly #struck = Promise.withResolvers<void>();
  #copies = 0;

  constructor(rig: Rig, keeper: Keeper, machine: MachineTrouble, operator: Operator, dice: Dice) {
    this.#rig = rig;
    this.#keeper = keeper;
    this.#machine = machine;
    this.#operator = operator;
    this.#dice = dice;
  }

  get wasOlder(): boolean {
    return this.backupsRestored + this.copiesPutBack + this.rebuilds > 0;
  }

  /** Resolves when each kind has struck once. */
  get struck(): Promise<void> {
    return this.#struck.promise;
  }

  /** Each kind in turn, in an order of the seed's own, until the signal is aborted; what was begun is ended. */
  async run(signal: AbortSignal): Promise<void> {
    await this.#live(signal);
    const kinds = this.#dice.shuffled([
      () => this.#restoreBackup(signal),
      () => this.#putBackCopy(signal),
      () => this.#rebuild(),
    ]);
    for (let at = 0; !signal.aborted; at++) {
      if (at === kinds.length) this.#struck.resolve();
      await kinds[at % kinds.length]!();
      await sleep(this.#dice.between(500, 3_000), signal);
    }
  }

  /** As docs/errors/store.md says: stop, put the copy in place, delete what belongs to the old file. */
  async #restoreBackup(signal: AbortSignal): Promise<void> {
    const { folder, dataDir } = this.#rig;
    const copy = join(folder, `backup-${this.#copies++}.db`);
    await this.#operator.insist([0], "backup", copy);
    await this.#live(signal);
    await this.#keeper.whileDown(this.#dice.pick(["stop", "kill"]), async () => {
      for (const name of ["svcsync.db-wal", "svcsync.db-shm"]) await rm(join(dataDir, name), { force: true });
      await cp(copy, join(dataDir, "svcsync.db"));
    });
    this.backupsRestored += 1;
    await this.#operator.attend();
  }

  /** The folder as a file copy, put back while nothing runs. What the queue has forgotten the person has to wait for. */
  async #putBackCopy(signal: AbortSignal): Promise<void> {
    const { folder, dataDir } = this.#rig;
    const copy = join(folder, `copy-${this.#copies++}`);
    await this.#keeper.whileDown("kill", () => cp(dataDir, copy, { recursive: true }));
    const losses = this.#machine.queueLosses;
    await this.#live(signal);
    await this.#keeper.whileDown(this.#dice.pick(["stop", "kill"]), async () => {
      await this.#empty();
      await cp(copy, dataDir, { recursive: true });
      if (this.#machine.queueLosses === losses) return;
      this.copiesUnproven += 1;
      await sleep(SETTLED_MS);
    });
    this.copiesPutBack += 1;
    await this.#operator.attend();
  }

  async #rebuild(): Promise<void> {
    await this.#keeper.whileDown(this.#dice.pick(["stop", "kill"]), async () => {
      await this.#empty();
      await this.#operator.svcsync("rebuild", "--confirm");
    });
    this.rebuilds += 1;
    await this.#operator.answerHolds();
  }

  async #empty(): Promise<void> {
    await rm(this.#rig.dataDir, { recursive: true, maxRetries: 5 });
    await mkdir(this.#rig.dataDir);
  }

  /** Until the service has records that the copy does not know, and a little longer. */
  async #live(signal: AbortSignal): Promise<void> {
    const created = () => this.#rig.sandbox.ledger.writes({ action: "create" }).length;
    const before = created();
    const until = Date.now() + LIVE_MAX_MS;
    while (created() === before && Date.now() < until && !signal.aborted) await sleep(LOOK_MS, signal);
    await sleep(this.#dice.between(2_000, 5_000), signal);
  }
}
