import { join } from "node:path";
import { builtProgram } from "../../setup/built-program.ts";
import type { Stage } from "../stage.ts";
import type { Peer } from "./peer.ts";
import { RunningLoad } from "./running-load.ts";

/** `svcsync sync` as the bench sets it up, with its private Redis server. */
export function svcsync(stage: Stage): Peer {
  return {
    name: "svcsync",
    load: async (serviceUrl) =>
      new RunningLoad({
        program: builtProgram,
        args: ["sync", "--env-file", await stage.configure(serviceUrl)],
        env: {},
        logFile: join(stage.folder, "svcsync.log"),
      }),
    forget: () => stage.forget(),
  };
}
