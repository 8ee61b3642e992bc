export { startDaemon, type Daemon, type DaemonOptions } from "./daemon.ts";
export { queueLocation } from "./assembly.ts";
export { openSystems, type Configuration, type Systems } from "./systems/systems.ts";
export { openSources, type Sources } from "./systems/sources.ts";
export { readSyncFile } from "./sync-file.ts";
export { Closing } from "./closing.ts";
export { untilIdle, PollsSeen } from "./watch/until-idle.ts";
export { ProgressWatch } from "./watch/progress-watch.ts";
export { standbyOf, ServiceManager } from "./service-manager.ts";
