import { startSentinels } from "../setup/redis-sentinel.ts";
import { describeQueue } from "./queue.ts";

let places = 0;

describeQueue("Redis behind Sentinel", async () => {
  const sentinels = await startSentinels();
  return {
    fresh: async () => ({ kind: "redis", url: `${sentinels.url}?prefix=test_${++places}` }),
    [Symbol.asyncDispose]: () => sentinels[Symbol.asyncDispose](),
  };
});
