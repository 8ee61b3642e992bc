import { createRedisBackend } from "bullmq";
import { SyncError } from "#model";
import type { Logger } from "#telemetry";
import { onServers, type Backend } from "./backend.ts";
import type { MarkName } from "../contract.ts";
import type { Looks } from "./looks.ts";
import { isAccessDenied, tooOld, unreachable } from "../errors.ts";
import type { QueueAddress } from "../queue-address.ts";
import { RedisConnections } from "./redis-client.ts";
import { oldestRedis, readRedisFacts } from "./redis-facts.ts";

/** Lifetime of the key by which a probe proves that the server takes writes, in milliseconds. */
const proofMs = 60_000;
/** How long a probe waits for a reconnect, in milliseconds: twice the longest pause between attempts. */
const connectionPatienceMs = 1_000;

/** BullMQ on Redis or Valkey: one connection for all commands, and one more for each worker that waits for jobs. */
export class RedisBackend implements Backend {
  readonly #place: QueueAddress;
  readonly #log: Logger;
  readonly #connections: RedisConnections;
  readonly looks: Looks;
  readonly jobs: Backend["jobs"];
  readonly worker: Backend["worker"];
  #isChecked = false;

  constructor(place: QueueAddress, log: Logger, looks: Looks) {
    this.#place = place;
    this.#log = log;
    this.looks = looks;
    this.#connections = new RedisConnections(place);
    this.#connections.onReady((isOther) => (this.#isChecked &&= !isOther));
    const options = { connection: this.#commands, prefix: place.prefix };
    ({ jobs: this.jobs, worker: this.worker } = onServers(createRedisBackend, options, looks));
  }

  async probe(): Promise<void> {
    await this.#connected();
    if (!this.#isChecked) await this.#check();
    await this.#commands.set(this.#proofKey, "", "PX", proofMs);
  }

  async saveMark(mark: number, of: MarkName): Promise<void> {
    await this.#commands.set(this.#keyOf(of), mark);
  }

  async mark(of: MarkName): Promise<number | undefined> {
    const text = await this.#commands.get(this.#keyOf(of));
    return text === null ? undefined : Number(text);
  }

  onReconnect(listener: (isOther: boolean) => void): void {
    this.#connections.onReady(listener);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#connections.disconnect();
  }

  #keyOf(of: MarkName): string {
    return of === "creates" ? this.#markKey : `${this.#markKey}:${of}`;
  }

  get #markKey() {
    return `${this.#place.prefix}:mark`;
  }

  get #proofKey() {
    return `${this.#place.prefix}:proof`;
  }

  get #commands() {
    return this.#connections.commands;
  }

  async #connected(): Promise<void> {
    const client = this.#commands;
    if (client.status === "ready") return;
    const isInTime = await new Promise<boolean>((resolve) => {
      // Without this, each probe during an outage would leave a listener behind.
      const end = (isReady: boolean) => {
        clearTimeout(timer);
        client.off("ready", hear);
        resolve(isReady);
      };
      const hear = () => end(true);
      const timer = setTimeout(() => end(false), connectionPatienceMs);
      client.once("ready", hear);
    });
    if (isInTime) return;
    const { lastError } = this.#connections;
    const isClear = lastError instanceof SyncError || isAccessDenied(lastError);
    throw isClear && lastError ? lastError : unreachable(this.#place.label, lastError);
  }

  async #check(): Promise<void> {
    const facts = readRedisFacts(String(await this.#commands.call("INFO")));
    if (!facts.isFit) throw tooOld(this.#place.label, facts.version, oldestRedis);
    // BullMQ uses keys in different slots. A node of a Redis Cluster refuses a command on two of them, even if it accepts each one alone.
    await this.#commands.exists(this.#markKey, this.#proofKey);
    if (facts.evictionPolicy !== undefined && facts.evictionPolicy !== "noeviction")
      this.#log.warn({ policy: facts.evictionPolicy }, "found an eviction policy that drops jobs");
    this.#isChecked = true;
  }
}
