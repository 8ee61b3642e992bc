import { copyFile, cp, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import Database from "better-sqlite3";
import { sleep } from "#model";
import type { Dice } from "./dice.ts";
import type { ErpActor } from "./erp-actor.ts";
import type { Keeper } from "./keeper.ts";
import type { MachineTrouble } from "./machine-trouble.ts";
import type { Operator } from "./operator.ts";
import { CONCURRENCY, SETTLE_LAG_SECONDS, type Rig } from "./rig.ts";

/** Beyond what `SETTLE_LAG_SECONDS` says. */
const SETTLED_MS = SETTLE_LAG_SECONDS * 1_000 + 500;
/** A copy that is only just older than the service is put back after this, whatever the service was given since. */
const LIVE_MAX_MS = 20_000;
const LOOK_MS = 100;
/** Writes that may have been begun when a copy was made and are carried out later: each record takes up to three. */
const BEGUN_AT_ONCE = 3 * CONCURRENCY;
/** A daemon says that its store was put back when it has started and the queue answers. */
const TOLD_WITHIN_MS = 300_000;
const REBUILD_ALONE_AFTER_MS = 20_000;

/** What can tell that a copy of the store is older than the service. */
interface Proof {
  /** Whether the queue still knows it. */
  holds(): boolean;
  isTold(): boolean;
  /** Whether anything was begun since that the copy does not know: more was written than could be under way. */
  isOlder(): boolean;
}

/** The store is lost or put back to an earlier state, and the operator does what the documentation says. */
export class StoreTrouble {
  backupsRestored = 0;
  copiesPutBack = 0;
  /** Of those, how many were copied while a daemon used them. */
  copiesOfUsePutBack = 0;
  /** Of those, how often the queue had forgotten what proves it. */
  copiesUnproven = 0;
  rebuilds = 0;
  /** How often the daemon said that its store was put back, where the queue could prove it. */
  restoresTold = 0;
  /** Stores that were put back, which nobody was told of. */
  readonly complaints: string[] = [];
  readonly #rig: Rig;
  readonly #people: ErpActor;
  readonly #keeper: Keeper;
  readonly #machine: MachineTrouble;
  readonly #operator: Operator;
  readonly #dice: Dice;
  readonly #struck = Promise.withResolvers<void>();
  #copies = 0;
  #isInUse: boolean;
  #end: "stop" | "kill";

  constructor(rig: Rig, people: ErpActor, keeper: Keeper, machine: MachineTrouble, operator: Operator, dice: Dice) {
    this.#people = people;
    this.#rig = rig;
    this.#keeper = keeper;
    this.#machine = machine;
    this.#operator = operator;
    this.#dice = dice;
    this.#isInUse = dice.chance(0.7);
    this.#end = dice.pick(["stop", "kill"]);
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
    const proof = this.#proof();
    await this.#live(signal);
    let isOlder = false;
    await this.#keeper.whileDown(this.#nextEnd(), async () => {
      isOlder = proof.isOlder();
      for (const name of ["svcsync.db-wal", "svcsync.db-shm"]) await rm(join(dataDir, name), { force: true });
      await cp(copy, join(dataDir, "svcsync.db"));
    });
    this.backupsRestored += 1;
    await this.#operator.attend();
    if (isOlder) await this.#expectTold(proof);
  }

  /**
   * The folder as a file copy, put back while nothing runs. What the queue has forgotten the person has to wait for. The copy was
   * made of a store in use, as a snapshot of the machine is, or of a killed daemon's.
   */
  async #putBackCopy(signal: AbortSignal): Promise<void> {
    const { folder, dataDir, door } = this.#rig;
    const copy = join(folder, `copy-${this.#copies++}`);
    this.#isInUse = !this.#isInUse;
    if (this.#isInUse) await door.with(() => snapshot(dataDir, copy));
    else await this.#keeper.whileDown("kill", () => cp(dataDir, copy, { recursive: true }));
    const proof = this.#proof();
    await this.#live(signal);
    let isOlder = false;
    await this.#keeper.whileDown(this.#nextEnd(), async () => {
      isOlder = proof.isOlder();
      await this.#empty();
      await cp(copy, dataDir, { recursive: true });
      if (proof.holds()) return;
      this.copiesUnproven += 1;
      await sleep(SETTLED_MS);
    });
    if (this.#isInUse) this.copiesOfUsePutBack += 1;
    this.copiesPutBack += 1;
    await this.#operator.attend();
    if (isOlder) await this.#expectTold(proof);
  }

  #nextEnd(): "stop" | "kill" {
    this.#end = this.#end === "stop" ? "kill" : "stop";
    return this.#end;
  }

  /** Remembers the moment of a copy: from what the queue knows since then, svcsync can tell that the copy is older. */
  #proof(): Proof {
    const { queueLosses: losses, isQueueAway } = this.#machine;
    const [at, told] = [Date.now(), this.#keeper.restoresTold];
    return {
      holds: () => !isQueueAway && this.#machine.queueLosses === losses,
      isTold: () => this.#keeper.restoresTold > told,
      isOlder: () => {
        const since = this.#rig.sandbox.ledger.writes().filter(({ at: written }) => written > at + SETTLED_MS);
        return since.filter(({ action }) => action === "create" || action === "edit").length > BEGUN_AT_ONCE;
      },
    };
  }

  async #expectTold(proof: Proof): Promise<void> {
    const until = performance.now() + TOLD_WITHIN_MS;
    while (!proof.isTold() && proof.holds() && performance.now() < until) await sleep(LOOK_MS);
    if (proof.isTold()) this.restoresTold += 1;
    else if (proof.holds()) this.complaints.push("a store that was put back was not told (E_STORE_RESTORED)");
  }

  async #rebuild(): Promise<void> {
    await this.#keeper.whileDown(this.#nextEnd(), async () => {
      await this.#empty();
      // It polls once, and ends when nothing is left to do: a poll that the queue forgot costs minutes, and a slow machine never
      // gets there while the ERP goes on.
      this.#machine.isQueueSpared = true;
      const rest = setTimeout(() => (this.#people.isAtRest = true), REBUILD_ALONE_AFTER_MS);
      await this.#operator.svcsync("rebuild", "--confirm");
      clearTimeout(rest);
      this.#people.isAtRest = false;
      this.#machine.isQueueSpared = false;
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

/** Copies a store in use as a snapshot of its disk does: the file, and the log of what is not in it yet, of one moment. */
async function snapshot(dataDir: string, copy: string): Promise<void> {
  const file = join(dataDir, "svcsync.db");
  await mkdir(copy);
  const reader = new Database(file, { readonly: true });
  try {
    // While somebody reads, nothing of the log is overwritten.
    reader.exec("BEGIN; SELECT count(*) FROM sqlite_schema");
    await copyFile(file, join(copy, "svcsync.db"));
    await copyFile(`${file}-wal`, join(copy, "svcsync.db-wal"));
  } finally {
    reader.close();
  }
}
