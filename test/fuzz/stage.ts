import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Closing } from "#daemon";
import { createSampleErp, startSandbox, type SampleErp, type Sandbox } from "#sandbox";
import type { Dice } from "../chaos/dice.ts";
import { freePort } from "../setup/free-port.ts";
import { listen } from "../setup/listen.ts";
import { startCrookedProxy, type CrookedProxy } from "./crooked-proxy.ts";
import { startWebErp, type WebErp } from "./web-erp.ts";

export const syncFile = fileURLToPath(new URL("sync.yaml", import.meta.url));

/** Everything around the daemon of one round. */
export interface Stage extends AsyncDisposable {
  readonly folder: string;
  readonly dataDir: string;
  readonly dropFolder: string;
  readonly envFile: string;
  readonly logFile: string;
  readonly pageUrl: string;
  readonly sandbox: Sandbox;
  readonly erp: SampleErp;
  readonly web: WebErp;
  readonly service: CrookedProxy;
  readonly erpProxy: CrookedProxy;
  /** Whatever arrived where no request may go. */
  readonly stolen: string[];
  /** Texts that must stay where they were put. */
  readonly secrets: ReadonlyMap<string, string>;
  readonly environment: Readonly<Record<string, string>>;
}

export async function setStage(dice: Dice, keep: () => boolean): Promise<Stage> {
  const closing = new Closing();
  try {
    return await build(dice, keep, closing);
  } catch (thrown) {
    await closing[Symbol.asyncDispose]();
    throw thrown;
  }
}

async function build(dice: Dice, keep: () => boolean, closing: Closing): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), "svcsync-fuzz-"));
  closing.defer(() => (keep() ? undefined : rm(folder, { recursive: true, force: true, maxRetries: 5 })));
  const names = ["SERVICE_PASSWORD", "ODATA_PASSWORD", "REST_TOKEN", "ODOO_KEY"] as const;
  const secrets = new Map<string, string>(names.map((name) => [name, `s3cr3t${randomBytes(12).toString("hex")}`]));
  const account = { username: "fuzz", password: secrets.get("SERVICE_PASSWORD")! };
  const sandbox = closing.use(await startSandbox({ accounts: [account], ledgerSize: 1_000 }));
  const counts = { customers: 25, contacts: 30, tickets: 25, orders: 20 };
  const erp = closing.use(createSampleErp(join(folder, "erp.sqlite"), { seed: 1, ...counts }));
  const web = closing.use(await startWebErp());
  const stolen: string[] = [];
  const thief = createServer((request, response) => {
    stolen.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`);
    response.end("{}");
  });
  const thiefUrl = `http://127.0.0.1:${await listen(thief)}`;
  closing.defer(() => void thief.close());
  const trusted = ["customerId", "info", "erpReferenceNumber"];
  const login = "/restApi/login";
  const service = closing.use(
    await startCrookedProxy({
      target: sandbox.url,
      dice: dice.fork("service answers"),
      thiefUrl,
      trusted,
      spared: ({ url }) => url.startsWith(login),
      heard: ({ headers }) => keepSecret(secrets, "service token", headers["authorization"]?.replace("Bearer ", "")),
    }),
  );
  const erpProxy = closing.use(
    await startCrookedProxy({
      target: web.url,
      dice: dice.fork("erp answers"),
      thiefUrl,
      heard: ({ headers }) => keepSecret(secrets, "basic", /^Basic (.*)/.exec(headers["authorization"] ?? "")?.[1]),
    }),
  );
  const dropFolder = join(folder, "drop");
  await mkdir(dropFolder);
  const port = await freePort();
  const environment = {
    SERVICE_URL: service.url,
    SERVICE_USERNAME: account.username,
    SERVICE_CONCURRENCY: "4",
    SERVICE_CONNECT_TIMEOUT_SECONDS: "2",
    SERVICE_ANSWER_TIMEOUT_SECONDS: "2",
    SERVICE_CALL_TIMEOUT_SECONDS: "3",
    SETTLE_LAG_SECONDS: "1",
    ERP_URL: `sqlite:${erp.path}`,
    ERP_WEB_URL: erpProxy.url,
    DROP_FOLDER: dropFolder,
    SYNC_FILE: syncFile,
    DATA_DIR: join(folder, "data"),
    POLL_INTERVAL_SECONDS: "1",
    SWEEP_INTERVAL_SECONDS: "4",
    DELIVERY_LEASE_SECONDS: "6",
    RETRY_BASE_SECONDS: "0.1",
    RETRY_MAX_SECONDS: "1",
    RETRY_ATTEMPTS: "1000",
    STOP_GRACE_SECONDS: "5",
    HEALTH_PORT: String(port),
    LOG_LEVEL: "info",
    LOG_FORMAT: "json",
    ...Object.fromEntries(names.map((name) => [name, secrets.get(name)!])),
  };
  const envFile = join(folder, "fuzz.env");
  const lines = Object.entries(environment).map(([name, value]) => `${name}=${value}\n`);
  await writeFile(envFile, lines.join(""), { mode: 0o600 });
  return {
    folder,
    dataDir: environment.DATA_DIR,
    dropFolder,
    envFile,
    logFile: join(folder, "svcsync.log"),
    pageUrl: `http://127.0.0.1:${port}`,
    sandbox,
    erp,
    web,
    service,
    erpProxy,
    stolen,
    secrets,
    environment,
    [Symbol.asyncDispose]: () => closing[Symbol.asyncDispose](),
  };
}

function keepSecret(secrets: Map<string, string>, name: string, text: string | undefined): void {
  if (text !== undefined && text.length > 8) secrets.set(`${name} ${text.slice(0, 4)}…`, text);
}
