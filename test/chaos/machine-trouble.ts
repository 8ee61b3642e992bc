import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { sleep } from "#model";
import type { Dice } from "./dice.ts";
import type { Keeper } from "./keeper.ts";
import type { Rig } from "./rig.ts";

const HOUR_MS = 3_600_000;

/** What goes wrong beside the service: the queue, the clock, an operator who starts a second daemon. */
export class MachineTrouble {
  flushes = 0;
  redisStops = 0;
  clockJumps = 0;
  secondRefused = 0;
  secondNotRefused = 0;
  readonly #rig: Rig;
  readonly #keeper: Keeper;
  readonly #dice: Dice;
  #offsetMs = 0;

  constructor(rig: Rig, keeper: Keeper, dice: Dice) {
    this.#rig = rig;
    this.#keeper = keeper;
    this.#dice = dice;
  }

  isQueueAway = false;
  /** The queue keeps what it has. */
  isQueueSpared = false;

  /** How often the queue forgot everything. */
  get queueLosses(): number {
    return this.flushes + this.redisStops;
  }

  async run(signal: AbortSignal): Promise<void> {
    await sleep(3_000, signal);
    while (!signal.aborted) {
      await this.#dice.weighted<() => Promise<void>>([
        [5, async () => (this.isQueueSpared ? undefined : this.#flush())],
        [2, async () => (this.isQueueSpared ? undefined : this.#stopRedis(signal))],
        [2, () => this.#moveClock()],
        [1, () => this.#second()],
      ])();
      await sleep(this.#dice.between(1_000, 6_000), signal);
    }
    await this.#rig.redis.start();
  }

  async #flush(): Promise<void> {
    this.flushes += 1;
    const socket = connect(this.#rig.redis.port, "127.0.0.1");
    await once(socket, "connect");
    socket.resume().end("FLUSHALL\r\n");
    await once(socket, "close");
  }

  async #stopRedis(signal: AbortSignal): Promise<void> {
    this.redisStops += 1;
    this.isQueueAway = true;
    await this.#rig.redis.stop();
    await sleep(this.#dice.between(200, 5_000), signal);
    await this.#rig.redis.start();
    this.isQueueAway = false;
  }

  /** Seconds in either direction, as time servers do; hours as a person or a resumed machine does. */
  async #moveClock(): Promise<void> {
    this.#offsetMs += this.#dice.weighted([
      [3, this.#dice.between(-3_000, 3_000)],
      [2, this.#dice.between(1, 3) * HOUR_MS],
      [2, -this.#dice.between(1, 3) * HOUR_MS],
    ]);
    await writeFile(this.#rig.clockFile, String(this.#offsetMs));
    this.clockJumps += 1;
  }

  async #second(): Promise<void> {
    const end = await this.#keeper.second();
    if (end === "refused") this.secondRefused += 1;
    if (end === "not refused") this.secondNotRefused += 1;
  }
}
