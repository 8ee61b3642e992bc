import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DEFAULT_TOKEN } from "#sandbox";
import { CONCURRENCY } from "../stage.ts";
import { install, runScript } from "./installation.ts";
import type { Peer } from "./peer.ts";
import { RunningLoad } from "./running-load.ts";

const VERSION = "1.123.81";
/** n8n takes this library of its spreadsheet node, which has no part here, from a server other than npm's. */
const XLSX_ON_NPM = "0.18.5";
const workflow = join(import.meta.dirname, "n8n-workflow.json");
const CREDENTIALS = [{ id: "service", name: "service", type: "httpBearerAuth", data: { token: DEFAULT_TOKEN } }];

/** Installs n8n into `folder` and imports the workflow and its credentials into a database of its own there. */
export async function n8n(folder: string, erpFile: string): Promise<Peer> {
  await install(folder, { n8n: VERSION }, { xlsx: XLSX_ON_NPM });
  const home = join(folder, "home");
  await mkdir(home, { recursive: true });
  const script = join(folder, "node_modules/n8n/bin/n8n");
  const environment = {
    HOME: home,
    N8N_USER_FOLDER: home,
    // Nothing of the bench goes out into the world.
    N8N_DIAGNOSTICS_ENABLED: "false",
    N8N_VERSION_NOTIFICATIONS_ENABLED: "false",
    N8N_TEMPLATES_ENABLED: "false",
    // The Code node reads the ERP with the SQLite library that n8n brings.
    NODE_FUNCTION_ALLOW_EXTERNAL: "sqlite3",
    ERP_FILE: erpFile,
    CONCURRENCY: String(CONCURRENCY),
  };
  const credentials = join(home, "credentials.json");
  await writeFile(credentials, JSON.stringify(CREDENTIALS), { mode: 0o600 });
  await runScript(script, ["import:credentials", `--input=${credentials}`], environment);
  await runScript(script, ["import:workflow", `--input=${workflow}`], environment);
  return {
    name: `n8n ${VERSION}`,
    load: async (serviceUrl) =>
      new RunningLoad({
        program: process.execPath,
        args: [script, "execute", "--id=customers"],
        env: { ...environment, SERVICE_URL: serviceUrl },
        logFile: join(folder, "n8n.log"),
      }),
    forget: async () => undefined,
  };
}
