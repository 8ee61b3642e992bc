/** What a command may touch of the process: given by main, so that commands can be run by tests. */
export interface Io {
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream;
  /** Where answers to questions come from; undefined: nobody can be asked. */
  readonly stdin?: NodeJS.ReadableStream;
  /** Whether a person looks at stdout. */
  readonly isTerminal: boolean;
  /** Aborted by SIGINT or SIGTERM: stop cleanly. */
  readonly signal: AbortSignal;
}

/** Exit codes, as sysexits.h and cron users know them. */
export const exitCode = {
  ok: 0,
  /** The work was done, but records or streams wait for a person. */
  needsPerson: 1,
  /** Wrong usage of the command itself. */
  usage: 64,
  /** The daemon could not go on. */
  stopped: 70,
  /** Not everything could be delivered now; the next run tries again. */
  again: 75,
  /** The settings or the sync file are wrong. */
  settings: 78,
} as const;
