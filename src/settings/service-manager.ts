/** How systemd wants to hear from this process, see sd_notify(3). */
export interface NotifyAccess {
  /** The path of its socket, or its name after an @. */
  readonly socket: string;
  /** Silence for so long makes systemd restart this process; undefined without WatchdogSec=. */
  readonly watchdogMs: number | undefined;
}

/** Undefined where no service manager listens. */
export function notifyAccess(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): NotifyAccess | undefined {
  const { NOTIFY_SOCKET: socket, WATCHDOG_USEC, WATCHDOG_PID } = environment;
  if (socket === undefined || socket === "") return undefined;
  const isForUs = WATCHDOG_PID === undefined || WATCHDOG_PID === String(process.pid);
  const watchdogMs = Number(WATCHDOG_USEC ?? Number.NaN) / 1_000;
  return { socket, watchdogMs: isForUs && watchdogMs > 0 ? watchdogMs : undefined };
}
