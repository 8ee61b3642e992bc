import { urgencyOf, type BlockedPolicy } from "#operator";
import type { StreamStatus } from "#pipeline";

/** What each exit code means, in every command, as sysexits.h and cron users know them. */
export const exitCodes = [
  { name: "ok", code: 0, meaning: "done; all is in step or on its way" },
  { name: "needsPerson", code: 1, meaning: "action needed: a record, a stream or an answer waits for a person" },
  { name: "changes", code: 2, meaning: "plan: the next run changes something" },
  { name: "usage", code: 64, meaning: "the command line is wrong; nothing was done" },
  { name: "stopped", code: 70, meaning: "it could not continue: the store, the queue or the service's credentials" },
  { name: "again", code: 75, meaning: "something failed or is not done yet that the next round tries again" },
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
