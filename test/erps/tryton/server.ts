import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Closing } from "#daemon";
import type { GuardedChild } from "#queue";
import { freePort } from "../../setup/free-port.ts";
import { startPostgres } from "../../setup/postgres.ts";
import { disposableFolder, startServer } from "../../setup/server.ts";
import { createDatabase } from "../new-database.ts";
import { providePackages, versionOf } from "../packages.ts";

const run = promisify(execFile);
const DATABASE = "company";
export const ADMIN_PASSWORD = "admin-password";

/** A Tryton server with a database of its own. */
export interface TrytonServer {
  readonly version: string;
  /** Where its JSON-RPC is, with the database's name. */
  readonly url: string;
  /** The database, past Tryton. */
  readonly databaseUrl: string;
  readonly configFile: string;
  readonly database: string;
  readonly process: GuardedChild;
}

/** `lockMs`: how long it remembers a refused login. */
export async function startServerOfTryton(closing: Closing, lockMs: number): Promise<TrytonServer> {
  await providePackages(
    "tryton-server",
    "tryton-modules-party-relationship",
    "tryton-modules-sale-complaint",
    "python3-psycopg2",
  );
  const folder = closing.use(await disposableFolder(undefined)).path;
  const postgres = closing.use(await startPostgres());
  const port = await freePort();
  const configFile = join(folder, "trytond.conf");
  const passwordFile = join(folder, "password");
  await writeFile(passwordFile, `${ADMIN_PASSWORD}\n`);
  await writeFile(
    configFile,
    `[database]\nuri = ${postgres.url.replace(/^postgres:/, "postgresql:").replace(/postgres$/, "")}\npath = ${folder}\n` +
      `[web]\nlisten = 127.0.0.1:${port}\n[session]\ntimeout = ${Math.ceil(lockMs / 1000)}\n`,
  );
  const databaseUrl = await createDatabase(postgres.url, DATABASE);
  const modules = ["sale_complaint", "party_relationship"];
  const place = ["--config", configFile, "--database", DATABASE];
  await run(
    "/usr/bin/trytond-admin",
    [...place, "--update", ...modules, "--activate-dependencies", "--email", "admin@example.org"],
    { env: { ...process.env, TRYTONPASSFILE: passwordFile }, maxBuffer: 64 * 1024 * 1024 },
  );
  // Its log names every login that it refuses.
  const server = await startServer("/usr/bin/trytond", [...place, "--verbose"], /Running on/, { cwd: folder });
  closing.defer(() => server.end());
  return {
    version: (await versionOf("tryton-server"))!,
    url: `http://127.0.0.1:${port}/${DATABASE}/`,
    databaseUrl,
    configFile,
    database: DATABASE,
    process: server,
  };
}
