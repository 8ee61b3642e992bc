import { describe, expect, it } from "vitest";
import type { ClusterState } from "#store";
import { ClusterPart } from "../../src/daemon/cluster/cluster-part.ts";
import { memoryLogger } from "../kit/logger.ts";

const DELIVERS: ClusterState = {
  isLeader: false,
  isAgreed: true,
  isNeeded: true,
  share: 2,
  pausedMs: 0,
  rate: undefined,
  others: 2,
  othersServed: 2,
  mustFence: false,
  unconfirmed: undefined,
};
const PAUSES: ClusterState = { ...DELIVERS, share: 0 };

/** A replica whose heartbeats the test sends, over a queue that answers when the test says so. */
class Scene {
  readonly logger = memoryLogger();
  /** What the queue was told. */
  readonly told: boolean[] = [];
  readonly answers: PromiseWithResolvers<void>[] = [];
  readonly fenced = Promise.withResolvers<void>();
  fences = 0;
  /** Whether the service answers. */
  isAnswering = true;
  readonly part: ClusterPart;
  /** Deliveries that the queue was told to run at once. */
  deliveries: number | undefined;
  perSecond: number | undefined;
  underWay = 0;
  share: number | undefined;
  #heard: (state: ClusterState) => void = () => undefined;

  constructor() {
    this.part = new ClusterPart({
      cluster: {
        state: DELIVERS,
        follow: (_report, heard) => void (this.#heard = heard),
        reportNow: () => undefined,
      },
      service: {
        fence: () => {
          this.fences += 1;
          return this.fenced.promise;
        },
        held: () => 0,
        limits: () => ({ pausedMs: 0, rate: undefined }),
        onPause: () => undefined,
        setLimits: () => undefined,
        setShare: (share) => void (this.share = share),
        state: () => ({
          state: this.isAnswering ? "closed" : "open",
          probeAt: undefined,
          holdMs: 0,
          perSecond: this.perSecond,
          concurrency: 6,
          requests: 0,
        }),
      },
      queue: {
        underWay: () => this.underWay,
        setConcurrency: (deliveries) => void (this.deliveries = deliveries),
        setDelivering: async (isOn) => {
          this.told.push(isOn);
          const answer = Promise.withResolvers<void>();
          this.answers.push(answer);
          await answer.promise;
        },
      },
      holds: { look: () => Promise.resolve() },
      ceiling: 6,
      logger: this.logger,
    });
    this.part.begin();
  }

  beat(state: ClusterState): void {
    this.#heard(state);
  }
}

describe("the part of one replica", () => {
  it("ends with what the last heartbeat said, however often that changed while the queue was told", async () => {
    const scene = new Scene();
    scene.beat(PAUSES);
    await expect.poll(() => scene.told).toEqual([false]);
    for (const state of [DELIVERS, PAUSES, PAUSES, DELIVERS]) scene.beat(state);
    scene.answers[0]?.resolve();
    await expect.poll(() => scene.told).toEqual([false, true]);
    scene.answers[1]?.resolve();
    await expect.poll(() => scene.logger.count("replica delivers")).toBe(1);
  });

  it("tries once more to end a session, however many heartbeats came while the service did not answer", async () => {
    const scene = new Scene();
    const leads = { ...DELIVERS, isLeader: true, mustFence: true };
    for (let beats = 0; beats < 9; beats++) {
      scene.beat(leads);
      await Promise.resolve();
    }
    scene.fenced.reject(new Error("the store does not answer"));
    await expect.poll(() => scene.told).toEqual([false]);
    scene.answers[0]?.resolve();
    await expect.poll(() => scene.fences).toBe(2);
    await expect.poll(() => scene.logger.count("session of a lost daemon was not ended yet")).toBe(2);
  });

  it("takes as many deliveries as its share needs, and fewer where the service lets few requests pass", () => {
    const scene = new Scene();
    scene.beat({ ...DELIVERS, share: 20 });
    expect(scene.deliveries).toBe(80);
    scene.perSecond = 7.5;
    scene.beat({ ...DELIVERS, share: 20 });
    expect(scene.deliveries).toBe(35);
    scene.beat(PAUSES);
    expect(scene.deliveries).toBe(1);
  });

  it("pauses deliveries while the others are enough for what the service lets pass", async () => {
    const scene = new Scene();
    scene.underWay = 7;
    scene.beat({ ...DELIVERS, isNeeded: false });
    // What it has begun and not sent is left to the others.
    expect(scene.share).toBe(0);
    await expect.poll(() => scene.told).toEqual([false]);
    scene.answers[0]?.resolve();
    await expect(scene.part.needed.replica()).resolves.toBeUndefined();
    scene.underWay = 0;
    scene.beat({ ...DELIVERS, isNeeded: false });
    expect(scene.share).toBe(2);
    scene.beat(DELIVERS);
    await expect.poll(() => scene.told).toEqual([false, true]);
  });

  it("tells the queue with the next heartbeat what it could not tell it", async () => {
    const scene = new Scene();
    scene.beat(PAUSES);
    await expect.poll(() => scene.told).toEqual([false]);
    scene.answers[0]?.resolve();
    scene.beat(DELIVERS);
    await expect.poll(() => scene.told).toEqual([false, true]);
    scene.answers[1]?.reject(new Error("the queue does not answer"));
    await expect.poll(() => scene.logger.count("share of the deliveries was not taken")).toBe(1);
    scene.beat(DELIVERS);
    await expect.poll(() => scene.told).toEqual([false, true, true]);
  });

  it("leaves deliveries to the others while the service answers them and not this one", async () => {
    const scene = new Scene();
    scene.isAnswering = false;
    scene.beat(DELIVERS);
    await expect.poll(() => scene.told).toEqual([false]);
    scene.answers[0]?.resolve();
    await expect(scene.part.needed.replica()).rejects.toThrow(
      expect.objectContaining({ family: "retry", code: "E_REPLICA_UNSERVED" }),
    );

    scene.isAnswering = true;
    scene.beat(DELIVERS);
    await expect.poll(() => scene.told).toEqual([false, true]);
    await expect(scene.part.needed.replica()).resolves.toBeUndefined();
  });

  it("keeps delivering, as far as the service lets it, where that answers no other one either", async () => {
    const scene = new Scene();
    scene.isAnswering = false;
    scene.beat({ ...DELIVERS, othersServed: 0 });
    scene.beat({ ...PAUSES, othersServed: 0 });
    await expect.poll(() => scene.told).toEqual([false]);
    await expect(scene.part.needed.replica()).resolves.toBeUndefined();
  });

  it("delivers nothing while the store does not confirm it, and says why", async () => {
    const scene = new Scene();
    const unconfirmed = { code: "E_STORE_READONLY", message: "it is a standby", details: {} } as const;
    scene.beat({ ...DELIVERS, unconfirmed });
    await expect.poll(() => scene.told).toEqual([false]);
    scene.answers[0]?.resolve();
    scene.beat({ ...DELIVERS, isLeader: true, mustFence: true, unconfirmed });
    await new Promise(setImmediate);
    await expect(scene.part.needed.replica()).rejects.toThrow(
      expect.objectContaining({ family: "retry", code: "E_STORE_READONLY", message: "it is a standby" }),
    );
    expect(scene.fences).toBe(0);
    scene.beat(DELIVERS);
    await expect.poll(() => scene.told).toEqual([false, true]);
    await expect(scene.part.needed.replica()).resolves.toBeUndefined();
  });
});
