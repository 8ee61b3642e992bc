import { connect } from "node:net";
import { hostname } from "node:os";
import { sleep } from "#model";
import type { Operator } from "../operator.ts";
import type { ServiceTrouble } from "../trouble.ts";
import { CALL_TIMEOUT_SECONDS } from "../rig.ts";
import { commandsOf, runCommand } from "./commands.ts";
import type { Manner, PlannedFault, ReplicaFault } from "./plan.ts";
import type { Replica } from "./replica.ts";
import { useSyncFile, type Site } from "./site.ts";
import type { Witness } from "./witness.ts";

/** So long a fault waits for the request that it should meet. */
const REQUEST_WITHIN_MS = 3_000;
/** A write that comes late has to be one. */
const WRITE_WITHIN_MS = 10_000;
/** A replica that starts on a loaded machine. */
const UP_WITHIN_MS = 20_000;
const SLOW_MS = 400;
/** A lost replica is fenced by then, whatever else goes wrong. */
const FENCED_WITHIN_MS = 60_000;
const LOOK_MS = 100;
/** A copy that is only just older than the service is failed over to after this, whatever the service was given since. */
const OLDER_WITHIN_MS = 20_000;
const REVOKE_EVERY_MS = 5_000;
const STORM = { kind: "tooMany", retryAfterSeconds: 1 } as const;

/** Carries out a plan of faults, each at its time, whether or not those before it have ended. */
export class Striker {
  readonly counts = new Map<string, number>();
  /** Writes that were brought after their sender had been fenced. */
  broughtLate = 0;
  failovers = 0;
  #revokedAt = -Infinity;
  fencedByHand = 0;
  /** What commands ended with that nothing explains. */
  readonly complaints: string[] = [];
  readonly #site: Site;
  readonly #replicas: readonly Replica[];
  readonly #witness: Witness;
  readonly #service: ServiceTrouble;
  readonly #operator: Operator;
  /** Which of the sync files the replicas are given. */
  #syncFile: 0 | 1 = 0;
  #rolling: Promise<void> = Promise.resolve();
  /** A person reports one after the other. */
  #reports: Promise<void> = Promise.resolve();
  #storeStops: Promise<void> = Promise.resolve();
  #queueStops: Promise<void> = Promise.resolve();

  constructor(site: Site, replicas: readonly Replica[], witness: Witness, service: ServiceTrouble, operator: Operator) {
    this.#site = site;
    this.#replicas = replicas;
    this.#witness = witness;
    this.#service = service;
    this.#operator = operator;
  }

  /** True when the sync file in use is the one that writes a customer's names in the other order. */
  get usesOtherFile(): boolean {
    return this.#syncFile === 1;
  }

  /** Until the plan is done or the signal is aborted; what was begun is ended and put right. */
  async run(plan: readonly PlannedFault[], signal: AbortSignal): Promise<void> {
    const startedAt = performance.now();
    const under: Promise<void>[] = [];
    for (const { atMs, fault } of plan) {
      await sleep(Math.max(0, startedAt + atMs - performance.now()), signal);
      if (signal.aborted) break;
      this.#site.note(JSON.stringify(fault));
      under.push(this.#strike(fault, signal));
    }
    await Promise.all(under);
    await this.#rolling;
    for (const { machine } of this.#replicas) for (const link of Object.values(machine.links)) link.heal();
  }

  async #strike(fault: ReplicaFault, signal: AbortSignal): Promise<void> {
    const name = nameOf(fault);
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
    switch (fault.kind) {
      case "kill":
        await this.#meet(fault);
        return this.#kill(fault);
      case "clean stop":
        return (await this.#replica(fault).end("stop", fault.ms)).back;
      case "freeze":
        await this.#meet(fault);
        return this.#replica(fault).freeze(fault.ms, signal);
      case "late write":
        return this.#bringLate(fault, signal);
      case "partition":
        return this.#partition(fault, signal);
      case "clock":
        return this.#replica(fault).setClock(fault.offsetMs);
      case "store stop":
        return (this.#storeStops = this.#storeStops.then(() => this.#stopStore(fault, signal)));
      case "store failover":
        return (this.#storeStops = this.#storeStops.then(() => this.#failOver(fault, signal)));
      case "queue flush":
        return this.#flush();
      case "queue stop":
        return (this.#queueStops = this.#queueStops.then(() => this.#stopQueue(fault.ms, signal)));
      case "slow after authentication":
        return this.#service.arm(
          fault.kind,
          { kind: "latency", when: "during", ms: fault.ms, method: fault.method, count: fault.count },
          REQUEST_WITHIN_MS,
          signal,
        );
      case "tokens revoked":
        return this.#revoke();
      case "429 storm":
        return this.#service.arm(fault.kind, STORM, fault.ms, signal);
      case "rolling restart":
        return (this.#rolling = this.#rolling.then(() => this.#roll(signal)));
      case "command":
        return this.#command(fault.command);
    }
  }

  #replica({ replica }: { readonly replica: number }): Replica {
    return this.#replicas[replica]!;
  }

  /** A service that ends new tokens again and again takes none, and the password is not sent for ever. */
  #revoke(): void {
    if (performance.now() - this.#revokedAt < REVOKE_EVERY_MS) return;
    this.#revokedAt = performance.now();
    this.#site.sandbox.tokens.revoke();
  }

  /** Waits for a request of the replica that the fault should meet; where none comes it strikes all the same. */
  async #meet({ replica, during }: Extract<ReplicaFault, { during?: unknown }>): Promise<void> {
    if (during) await this.#witness.next(replica, during, REQUEST_WITHIN_MS);
  }

  async #kill(fault: Extract<ReplicaFault, { kind: "kill" }>): Promise<void> {
    const replica = this.#replica(fault);
    const { client } = replica.machine.links.service;
    const { back } = await replica.end("kill", fault.ms);
    if (!fault.isReported) return back;
    this.#reports = this.#reports.then(() => this.#report(`process ${client} on ${hostname()}`));
    await Promise.all([back, this.#reports]);
  }

  async #report(name: string): Promise<void> {
    if (await this.#operator.fence(name)) this.fencedByHand += 1;
  }

  /**
   * A write that the network brings only after its sender was lost and fenced. Earlier nothing but the settle time helps, which is
   * shorter here than what is drawn: such a write is lost.
   */
  async #bringLate(fault: Extract<ReplicaFault, { kind: "late write" }>, signal: AbortSignal): Promise<void> {
    const replica = this.#replica(fault);
    const kept = await replica.machine.links.service.keepNext(fault.during, WRITE_WITHIN_MS);
    if (kept === undefined) return;
    // One that is being stopped, or that another fault lets run again, may give the request up and write that down.
    if (!replica.isRunning || kept.client === undefined || kept.client !== replica.machine.links.service.client)
      return kept.lose();
    const keptAt = performance.now();
    const { thaws } = replica;
    const thaw = new AbortController();
    let frozen = Promise.resolve();
    if (fault.lost === "kill") await replica.end("kill", 0);
    else frozen = replica.freeze(Infinity, AbortSignal.any([signal, thaw.signal]));
    // It has not had the time to give the request up, and to write that down.
    const isOpen = performance.now() - keptAt < CALL_TIMEOUT_SECONDS * 1_000;
    const patienceMs = isOpen ? FENCED_WITHIN_MS : 0;
    const isGone = () => fault.lost === "kill" || replica.thaws === thaws;
    let isFenced = false;
    while (!isFenced && isGone() && performance.now() - keptAt < patienceMs) {
      await sleep(LOOK_MS);
      // The store may be away.
      isFenced = (await this.#witness.isFenced(kept.client).catch(() => false)) && isGone();
    }
    await sleep(Math.max(0, keptAt + fault.ms - performance.now()), signal);
    if (isFenced) {
      this.broughtLate += 1;
      kept.bring();
    } else kept.lose();
    thaw.abort();
    await frozen;
  }

  async #partition(
    { replica, target, manner, ms }: Extract<ReplicaFault, { kind: "partition" }>,
    signal: AbortSignal,
  ): Promise<void> {
    const link = this.#replicas[replica]!.machine.links[target];
    const begin: Record<Manner, () => void> = {
      "both ways": () => link.hold("toServer", "toClient"),
      "to the server": () => link.hold("toServer"),
      "to the client": () => link.hold("toClient"),
      slow: () => link.slow(SLOW_MS),
      reset: () => link.reset(),
      "committed, not answered": () => link.cutNextAnswer(),
    };
    begin[manner]();
    await sleep(ms, signal);
    link.heal();
  }

  async #stopStore({ manner, ms }: Extract<ReplicaFault, { kind: "store stop" }>, signal: AbortSignal): Promise<void> {
    await this.#site.postgres.stop(manner);
    await sleep(ms, signal);
    await this.#site.postgres.start();
  }

  /** To a standby that lacks the last commits; then the operator does what the documentation says. */
  async #failOver(
    { loses, ms }: Extract<ReplicaFault, { kind: "store failover" }>,
    signal: AbortSignal,
  ): Promise<void> {
    const { postgres, sandbox } = this.#site;
    await postgres.copy();
    const created = () => sandbox.ledger.writes({ action: "create" }).length;
    const [before, until] = [created(), performance.now() + OLDER_WITHIN_MS];
    if (loses === "a moment") await sleep(ms, signal);
    else while (created() === before && performance.now() < until && !signal.aborted) await sleep(LOOK_MS, signal);
    await this.#witness.learn();
    this.failovers += 1;
    await postgres.failOver();
    await this.#witness.learn();
    await this.#operator.answerHolds();
  }

  async #flush(): Promise<void> {
    const socket = connect(this.#site.redis.port, "127.0.0.1");
    // While it is stopped there is nothing to flush.
    socket
      .on("error", () => undefined)
      .resume()
      .end("FLUSHALL\r\n");
    await new Promise((resolve) => socket.once("close", resolve));
  }

  async #stopQueue(ms: number, signal: AbortSignal): Promise<void> {
    await this.#site.redis.stop();
    await sleep(ms, signal);
    await this.#site.redis.start();
  }

  /** As an orchestrator does it: one after the other, each when the one before is up. */
  async #roll(signal: AbortSignal): Promise<void> {
    this.#syncFile = this.#syncFile === 0 ? 1 : 0;
    const file = this.#site.syncFiles[this.#syncFile];
    await useSyncFile(this.#site, file);
    for (const replica of this.#replicas) {
      const { back } = await replica.end("stop", 0, () => useSyncFile(replica.machine, file));
      await back;
      if (!signal.aborted) await replica.up(UP_WITHIN_MS);
    }
  }

  async #command(number: number): Promise<void> {
    const commands = commandsOf(this.#site.erp);
    const complaint = await runCommand(this.#operator, commands[number % commands.length]!);
    if (complaint !== undefined) this.complaints.push(complaint);
  }
}

function nameOf(fault: ReplicaFault): string {
  if (fault.kind === "partition") return `partition from the ${fault.target}, ${fault.manner}`;
  if (fault.kind === "store failover") return `${fault.kind} that loses ${fault.loses}`;
  if (fault.kind === "store stop") return `${fault.kind}, ${fault.manner}`;
  if ("during" in fault) return `${fault.kind} during ${fault.during}`;
  return fault.kind;
}
