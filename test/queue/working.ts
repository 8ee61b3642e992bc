import { connect, createServer, type Socket } from "node:net";
import { Redis } from "ioredis";
import { afterEach, expect, vi } from "vitest";
import { systemClock } from "#model";
import { openQueue, type Queue, type QueueLocation } from "#queue";
import { listen } from "../setup/listen.ts";
import { type MemoryLogger, memoryLogger } from "../kit/logger.ts";

/** A call without a bound of its own would never end here, and the test would with it. */
export const patience = { timeout: 120_000, interval: 20 };
export const live = { backfill: false };
export const record = (key: string) => ({ stream: "customers", key });

export interface Working {
  readonly queue: Queue;
  readonly logger: MemoryLogger;
  readonly delivered: string[];
  polls: number;
  /** How often the queue told that its backend had forgotten its jobs. */
  forgotten: number;
}

/** Opens queues for the tests of a file, and closes them after each. */
export function testQueues() {
  const opened: Queue[] = [];
  afterEach(async () => {
    for (const queue of opened.splice(0)) await queue[Symbol.asyncDispose]();
  });

  async function open(location: QueueLocation, logger = memoryLogger()): Promise<Queue> {
    const queue = await openQueue(location, { clock: systemClock, logger });
    opened.push(queue);
    return queue;
  }

  async function work(location: QueueLocation): Promise<Working> {
    const logger = memoryLogger();
    const queue = await open(location, logger);
    const working: Working = { queue, logger, delivered: [], polls: 0, forgotten: 0 };
    queue.onForgotten?.(() => working.forgotten++);
    const deliver = async ({ key }: { key: string }) => void working.delivered.push(key);
    await queue.start({ deliver, poll: async () => void working.polls++ }, { concurrency: 4 });
    await queue.schedulePolls(new Map([["customers", { everyMs: 200 }]]));
    return working;
  }

  /** A queue that polls, and a client of its server beside it. */
  async function polling(url: string): Promise<{ working: Working; client: Redis }> {
    const working = await work({ kind: "redis", url });
    await vi.waitFor(() => expect(working.polls).toBeGreaterThan(1), patience);
    return { working, client: new Redis(url) };
  }

  return { open, work, polling };
}

/**
 * A way to a server that can forget its connections, as a firewall does: nothing passes on them any more, and neither side hears of it. New
 * ones are not affected.
 */
export async function startForgetfulWay(port: number) {
  const connections = new Set<{ isForgotten: boolean }>();
  const sockets = new DisposableStack();
  let awaited: { readonly word: string; readonly said: () => void } | undefined;
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const connection = { isForgotten: false };
    connections.add(connection);
    const target = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    const pass = (from: Socket, to: Socket) => {
      sockets.defer(() => from.destroy());
      from.on("error", () => undefined);
      from.on("data", (data) => {
        if (awaited && data.includes(awaited.word)) {
          for (const each of connections) each.isForgotten = true;
          awaited.said();
          awaited = undefined;
        }
        if (!connection.isForgotten) to.write(data);
      });
      from.on("end", () => void (connection.isForgotten || to.end()));
    };
    pass(client, target);
    pass(target, client);
  });
  return {
    port: await listen(server),
    /** Forgets all connections when the next one says this word, before that arrives. Resolves then. */
    forgetAt: (word: string) => new Promise<void>((said) => (awaited = { word, said })),
    async [Symbol.asyncDispose]() {
      server.close();
      sockets.dispose();
    },
  };
}

/** A way to a PostgreSQL that ends the first connection right behind the answer with this word, as an administrator does. */
export async function startEndingWay(port: number, word: string) {
  const text = "SFATAL\0C57P01\0Mterminating connection due to administrator command\0\0";
  const last = Buffer.concat([Buffer.from("E"), Buffer.alloc(4), Buffer.from(text)]);
  last.writeInt32BE(last.length - 1, 1);
  let hasEnded = false;
  const sockets = new DisposableStack();
  const server = createServer((client) => {
    const target = connect(port, "127.0.0.1");
    for (const socket of [client, target]) {
      socket.on("error", () => undefined);
      sockets.defer(() => socket.destroy());
    }
    client.on("data", (data) => void target.write(data)).on("close", () => target.destroy());
    target.on("close", () => client.destroy());
    target.on("data", (data) => {
      const isLast = !hasEnded && data.includes(word);
      hasEnded ||= isLast;
      client.write(isLast ? Buffer.concat([data, last]) : data);
      if (isLast) client.end();
    });
  });
  return {
    port: await listen(server),
    hasEnded: () => hasEnded,
    async [Symbol.asyncDispose]() {
      server.close();
      sockets.dispose();
    },
  };
}
