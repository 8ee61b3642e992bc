import { counted } from "#model";
import { driftFound, knownRemedyOf } from "#operator";
import type { BackupState, DriftState } from "#store";
import type { Condition } from "./condition.ts";

/** Results of scheduled maintenance. */
export interface CareFacts {
  readonly now: number;
  /** Scheduled backups and comparisons; absent if none are scheduled. */
  readonly backup?: { readonly state: BackupState | undefined; readonly everyMs: number } | undefined;
  readonly drift?: DriftState | undefined;
}

/** After how many intervals a backup counts as missing. */
const OVERDUE = 2;

/** The conditions about backups and comparisons. */
export function careConditions(facts: CareFacts): Condition[] {
  return [...backup(facts), ...drift(facts)];
}

/** Reports a backup as missing after twice its interval, for any reason. */
function backup({ backup: found, now }: CareFacts): Condition[] {
  const { state, everyMs = 0 } = found ?? {};
  if (state === undefined) return [];
  const { failure, failureCode, verified } = state;
  const isOverdue = verified !== undefined && now - verified.at > OVERDUE * everyMs;
  if (failure === undefined && !isOverdue) return [];
  return [
    {
      id: "backup",
      kind: "backup",
      severity: "problem",
      title: "the store is not backed up",
      ...(failure === undefined ? {} : { cause: failure }),
      affected: verified === undefined ? "there is no verified copy" : `the last verified copy is ${verified.path}`,
      remedy: `${knownRemedyOf(failureCode) ?? "Check the disk of BACKUP_DIR and svcsync's log."} "svcsync backup FILE" makes a copy now.`,
      patienceMs: 0,
    },
  ];
}

function drift({ drift: state }: CareFacts): Condition[] {
  const { count, text } = driftFound(state);
  if (count === 0) return [];
  return [
    {
      id: "drift",
      kind: "drift",
      severity: "warning",
      title: `the service differs from what was written in ${counted(count, "place")}`,
      affected: text,
      remedy: '"svcsync reconcile" lists the differences, "svcsync reconcile --repair" writes the fields again.',
      count,
      patienceMs: 0,
    },
  ];
}
