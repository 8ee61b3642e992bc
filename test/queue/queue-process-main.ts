import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { systemClock } from "#model";
import { openQueue } from "#queue";
import type { Orders } from "./queue-process.ts";
import { memoryLogger } from "../kit/logger.ts";

const orders: Orders = JSON.parse(process.argv[2] ?? "");
const say = (line: string) => void process.stdout.write(`${line}\n`);

const queue = await openQueue(orders.location, { clock: systemClock, logger: memoryLogger() });
await queue.start(
  {
    async deliver({ key }) {
      say(`deliver ${key}`);
      await pause(orders.holdMs);
      say(`delivered ${key}`);
    },
    async poll(stream) {
      say(`poll ${stream} ${Date.now()}`);
      await pause(orders.holdMs);
      say(`polled ${stream} ${Date.now()}`);
    },
  },
  { concurrency: 4 },
);
const polls = Object.entries(orders.polls).map(([stream, everyMs]) => [stream, { everyMs }] as const);
if (polls.length > 0) await queue.schedulePolls(new Map(polls));
say("ready");
await once(process, "SIGTERM");
await queue.stop(0);
await queue[Symbol.asyncDispose]();
say("closed");
