/** What a Redis server reports about itself. */
export interface RedisFacts {
  /** `redis 7.0.15`, `valkey 8.1.0`. */
  readonly version: string;
  /** Whether BullMQ can use it, which needs the features of Redis 6.2. */
  readonly isFit: boolean;
  /** Absent if a hosting provider hides it. */
  readonly evictionPolicy: string | undefined;
  /** Changes with each start. Absent if a hosting provider hides it. */
  readonly runId: string | undefined;
}

export const oldestRedis = "Redis 6.2 or Valkey 7.2";

/** Parses the answer to INFO. */
export function readRedisFacts(info: string): RedisFacts {
  const fact = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, "m").exec(info)?.[1];
  const valkey = fact("valkey_version");
  const redis = fact("redis_version") ?? "0";
  const [major = 0, minor = 0] = redis.split(".").map(Number);
  return {
    version: valkey === undefined ? `redis ${redis}` : `valkey ${valkey}`,
    isFit: valkey !== undefined || major > 6 || (major === 6 && minor >= 2),
    evictionPolicy: fact("maxmemory_policy"),
    runId: fact("run_id"),
  };
}
