export { startDaemon, type Daemon, type DaemonOptions } from "./daemon.ts";
export { queueLocation } from "./assembly.ts";
export { openParts, type Configuration, type Systems as Parts } from "./systems.ts";
export { openSources, type Sources } from "./sources.ts";
export { readSyncFile } from "./sync-file.ts";
export { Closing } from "./closing.ts";
export { untilIdle as drained, PollsSeen } from "./watch/until-idle.ts";
export { ProgressWatch } from "./watch/progress-watch.ts";
export { version } from "./version.ts";
