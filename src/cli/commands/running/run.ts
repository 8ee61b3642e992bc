import { ServiceManager, standbyOf, startDaemon, type Daemon } from "#daemon";
import { within, errorFacts, sleep } from "#model";
import { knownRemedyOf } from "#operator";
import { readConfiguration, type GlobalOptions, type Registration } from "../../command-context.ts";
import { exitCode, type Io } from "../../output/io.ts";
import { isFirstLoad, Progress } from "../../output/progress.ts";
import { whenAborted } from "#model";

/**
 * A supervisor restarts a process that ended, and each start logs in once. Services lock accounts after about five
 * failures in 15 minutes; this pause allows at most three.
 */
const LOGIN_PAUSE_MS = 5 * 60_000;
/** On a terminal, a first load reports its progress between the lines of the log. */
const PROGRESS_EVERY_MS = 10_000;
/**
 * Time for closing the store and the queue, in addition to the grace period of deliveries; the sum stays below the
 * containers' 40 seconds.
 */
const CLOSE_MS = 15_000;

export const registerRun: Registration = (cli) =>
  cli.command("run", "Run the daemon: poll the ERP and keep the service in sync until stopped").action(cli.action(run));

/** `svcsync run`: runs the daemon until it is stopped or cannot continue. */
async function run(options: GlobalOptions, io: Io): Promise<number> {
  const configuration = await readConfiguration(options, io);
  const { logger, settings, syncFile } = configuration;
  const names = syncFile.streams.map(({ name }) => name);
  const shown = new Progress(names, io, { bars: false, lineEveryMs: PROGRESS_EVERY_MS });
  const manager = new ServiceManager(logger);
  const standby = standbyOf(configuration, manager, io.signal);
  let daemon: Daemon;
  try {
    daemon = await startDaemon({ ...configuration, standby }, { polls: "scheduled", web: true, observers: [shown] });
  } catch (thrown) {
    if (io.signal.aborted) return exitCode.ok;
    throw thrown;
  }
  if (io.isTerminal && (await isFirstLoad(daemon.parts.store, names))) shown.start();
  logger.info({ streams: names, dataDir: settings.dataDir, service: settings.service.url }, "daemon started");
  const status = `Following ${names.join(", ")}`;
  await manager.ready(status);
  await using _watchdog = manager.feed(() => daemon.proveWork(), status);
  const failure = await Promise.race([daemon.failure, whenAborted(io.signal)]);
  if (failure) logger.error({ err: failure, remedy: knownRemedyOf(failure.code) }, "daemon could not continue");
  else {
    logger.info({}, "daemon is stopping");
    await manager.stopping("Finishing deliveries");
  }
  try {
    const waitedMs = settings.delivery.stopGraceMs + CLOSE_MS;
    // A store or a queue behind a broken network may not answer for minutes.
    const close = async () => {
      await daemon[Symbol.asyncDispose]();
      return true;
    };
    if (!(await within(waitedMs, close(), () => false))) logger.error({ waitedMs }, "daemon did not stop cleanly");
  } catch (thrown) {
    logger.error({ err: errorFacts(thrown) }, "daemon did not stop cleanly");
  }
  if (failure?.code === "E_SERVICE_LOGIN") {
    logger.error({ pauseMs: LOGIN_PAUSE_MS }, "daemon exits after a pause, so that restarts do not lock the account");
    await sleep(LOGIN_PAUSE_MS, io.signal);
  }
  logger.info({}, "daemon stopped");
  return failure ? exitCode.stopped : exitCode.ok;
}
