import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DEFAULT_TOKEN } from "#sandbox";
import { CONCURRENCY } from "../stage.ts";
import { install } from "./installation.ts";
import type { Peer } from "./peer.ts";
import { RunningLoad } from "./running-load.ts";

const VERSION = "4.1.8";
const PACKAGES = { "node-red": VERSION, "node-red-node-sqlite": "1.1.1" };
const flows = join(import.meta.dirname, "node-red-flows.json");

/** Headless, everything else as it is by default; the token lies in the credentials of the flow. */
const SETTINGS = {
  flowFile: "flows.json",
  httpAdminRoot: false,
  httpNodeRoot: false,
  credentialSecret: false,
  uiPort: 0,
};
const NODES_WITH_TOKEN = ["statuses", "list", "write"];

/** Installs Node-RED and its SQLite node into `folder`, beside the flow. */
export async function nodeRed(folder: string, erpFile: string): Promise<Peer> {
  await install(folder, PACKAGES);
  const home = join(folder, "home");
  await mkdir(home, { recursive: true });
  await copyFile(flows, join(home, "flows.json"));
  const credentials = Object.fromEntries(NODES_WITH_TOKEN.map((node) => [node, { password: DEFAULT_TOKEN }]));
  await writeFile(join(home, "flows_cred.json"), JSON.stringify(credentials), { mode: 0o600 });
  await writeFile(
    join(home, "settings.js"),
    `module.exports = ${JSON.stringify({ ...SETTINGS, nodesDir: join(folder, "node_modules/node-red-node-sqlite") })};\n`,
  );
  return {
    name: `Node-RED ${VERSION}`,
    load: async (serviceUrl) =>
      new RunningLoad({
        program: process.execPath,
        args: [join(folder, "node_modules/node-red/red.js"), "--userDir", home],
        env: { HOME: home, SERVICE_URL: serviceUrl, ERP_FILE: erpFile, CONCURRENCY: String(CONCURRENCY) },
        logFile: join(folder, "node-red.log"),
        finishedLine: "load finished",
      }),
    forget: async () => undefined,
  };
}
