import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import type { GuardedChild } from "#queue";
import { freePort } from "./free-port.ts";
import { findProgram, provide } from "./program.ts";
import { disposableFolder, startServer, unprivilegedOwner } from "./server.ts";

const run = promisify(execFile);

/** A MariaDB of this test's own: a fresh data folder on a free port, gone with the test. */
export interface TestMariadb extends AsyncDisposable {
  /** User `svcsync`, password `svcsync`, all rights, database `test`. */
  readonly url: string;
  readonly port: number;
  readonly socket: string;
  /** Ends the server; its data stays until the test ends. */
  stop(): Promise<void>;
  /** Starts it again on the same port and data. */
  start(): Promise<void>;
}

const firstStatements = [
  "CREATE DATABASE IF NOT EXISTS test CHARACTER SET utf8mb4;",
  "CREATE USER IF NOT EXISTS 'svcsync'@'%' IDENTIFIED BY 'svcsync';",
  "GRANT ALL PRIVILEGES ON *.* TO 'svcsync'@'%' WITH GRANT OPTION;",
].join(" ");

export async function startMariadb(): Promise<TestMariadb> {
  const daemon = await provide(() => findProgram(["mariadbd", "/usr/sbin/mariadbd"]), "mariadb-server");
  const owner = await unprivilegedOwner();
  const folder = await disposableFolder(owner);
  const data = join(folder.path, "data");
  const socket = join(folder.path, "db.sock");
  const as = { ...owner, cwd: folder.path };
  // Two installations at once would take each other's files away from the common folder.
  const here = ["--no-defaults", `--datadir=${data}`, `--tmpdir=${folder.path}`];
  await run("mariadb-install-db", [...here, "--auth-root-authentication-method=normal", "--skip-test-db"], as);
  const port = await freePort();
  const place = [`--socket=${socket}`, `--port=${port}`, "--bind-address=127.0.0.1", "--skip-name-resolve"];
  const speed = ["--innodb-flush-log-at-trx-commit=0", "--innodb-buffer-pool-size=64M", "--skip-log-bin"];
  let server: GuardedChild | undefined;
  const mariadb: TestMariadb = {
    url: `mariadb://svcsync:svcsync@127.0.0.1:${port}/test`,
    port,
    socket,
    async stop() {
      await server?.end();
      server = undefined;
    },
    async start() {
      server ??= await startServer(daemon, [...here, ...place, ...speed], /ready for connections/, as);
    },
    async [Symbol.asyncDispose]() {
      await mariadb.stop();
      await folder[Symbol.asyncDispose]();
    },
  };
  await mariadb.start();
  await run("mariadb", ["--no-defaults", `--socket=${socket}`, "--user=root", `--execute=${firstStatements}`]);
  return mariadb;
}
