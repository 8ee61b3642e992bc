import { errorFacts } from "#model";
import { startDaemon } from "#daemon";
import { readConfiguration, type GlobalOptions } from "./command-context.ts";
import { exitCode, type Io } from "./io.ts";
import { whenAborted } from "./when-aborted.ts";

/** `svcsync run`: the daemon, until it is told to stop or cannot go on. */
export async function run(options: GlobalOptions, io: Io): Promise<number> {
  const configuration = await readConfiguration(options);
  const { logger, settings, syncFile } = configuration;
  const daemon = await startDaemon(configuration, { polls: "scheduled", web: true });
  logger.info(
    { streams: syncFile.streams.map(({ name }) => name), dataDir: settings.dataDir, service: settings.service.url },
    "daemon started",
  );
  const failure = await Promise.race([daemon.failure, whenAborted(io.signal)]);
  if (failure) logger.error({ err: failure }, "daemon cannot go on");
  else logger.info({}, "daemon is stopping");
  try {
    await daemon[Symbol.asyncDispose]();
  } catch (thrown) {
    logger.error({ err: errorFacts(thrown) }, "daemon did not stop cleanly");
  }
  logger.info({}, "daemon stopped");
  return failure ? exitCode.stopped : exitCode.ok;
}
