import { urgencyOf, type BlockedPolicy } from "#operator";
import type { StreamStatus } from "#pipeline";

/** What each exit code means, in every command, as sysexits.h and cron users know them. */
export const exitCodes = [
  { name: "ok", code: 0, meaning: "done; everything is in sync or on its way" },
  { name: "needsPerson", code: 1, meaning: "action needed: a record, a stream or a question waits for your decision" },
  { name: "changes", code: 2, meaning: "plan: the next run would change something" },
  { name: "usage", code: 64, meaning: "the command line is wrong; nothing was done" },
  {
    name: "stopped",
    code: 70,
    meaning: "svcsync could not continue: the store, the queue or the service's credentials",
  },
  { name: "again", code: 75, meaning: "something failed or is not finished; the next round retries it" },
  { name: "settings", code: 78, meaning: "the settings or the sync file are wrong; nothing was done" },
] as const;

export const exitCode = {
  ok: 0,
  needsPerson: 1,
  changes: 2,
  usage: 64,
  stopped: 70,
  again: 75,
  settings: 78,
} as const satisfies { readonly [Row in (typeof exitCodes)[number] as Row["name"]]: Row["code"] };

/** The exit code of commands that tell how streams stand. */
export function statusCode(statuses: readonly StreamStatus[], blocked: BlockedPolicy): number {
  const codes = { person: exitCode.needsPerson, time: exitCode.again, none: exitCode.ok } as const;
  return codes[urgencyOf(statuses, blocked)];
}
