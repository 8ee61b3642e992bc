import type { QueueKind } from "#queue";

const places: Readonly<Record<QueueKind, string>> = {
  redis: "on Redis",
  postgres: "on PostgreSQL",
  private: "on a Redis server of svcsync's own",
  "in-process": "in-process",
};

/** Where the queue runs: "on Redis", "in-process". */
export function queueText(kind: QueueKind): string {
  return places[kind];
}
