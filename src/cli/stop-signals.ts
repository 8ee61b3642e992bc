/** A signal that asks for a clean stop, and its number: a process that it ends exits with 128 more. */
export type StopSignal = readonly [name: NodeJS.Signals, number: number];

/**
 * The signals that stop svcsync cleanly. Windows has no SIGTERM: a process that is sent one is killed. It has SIGHUP when the console is closed, with ten
 * seconds before the end, and SIGBREAK for Ctrl-Break.
 */
export function stopSignals(platform: NodeJS.Platform = process.platform): readonly StopSignal[] {
  const everywhere = [
    ["SIGINT", 2],
    ["SIGTERM", 15],
  ] as const;
  return platform === "win32" ? [...everywhere, ["SIGHUP", 1], ["SIGBREAK", 21]] : everywhere;
}
