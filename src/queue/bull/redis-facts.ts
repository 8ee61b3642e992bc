/** What a Redis server reports about itself. */
export interface RedisFacts {
  /** `redis 7.0.15`, `valkey 8.1.0`. */
  readonly version: string;
  /** Whether BullMQ can use it. */
  readonly isFit: boolean;
  /** Absent if a hosting provider hides it. */
  readonly evictionPolicy: string | undefined;
  /** Changes with each start. Absent if a hosting provider hides it. */
  readonly runId: string | undefined;
}

export const oldestRedis = "Redis 6.2 or Valkey 7.2";

/** Whether BullMQ can use a Redis of this version, which needs the features of 6.2. */
export function isFitRedis(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > 6 || (major === 6 && minor >= 2);
}

/** Parses the answer to INFO. */
export function readRedisFacts(info: string): RedisFacts {
  const fact = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, "m").exec(info)?.[1];
  const valkey = fact("valkey_version");
  const redis = fact("redis_version") ?? "0";
  return {
    version: valkey === undefined ? `redis ${redis}` : `valkey ${valkey}`,
    isFit: valkey !== undefined || isFitRedis(redis),
    evictionPolicy: fact("maxmemory_policy"),
    runId: fact("run_id"),
  };
}
