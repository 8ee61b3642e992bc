import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { freePort } from "./free-port.ts";
import { findProgram, provide } from "./program.ts";
import { disposableFolder, startServer, unprivilegedOwner } from "./server.ts";

/** A PgBouncer in front of a PostgreSQL, gone with the test. */
export interface TestPooler extends AsyncDisposable {
  /** The same database, through the pooler. */
  readonly url: string;
}

/** With fewer connections to the server than a store has, so that messages of one session go to several of them. */
const POOL_SIZE = 3;

export async function startPgBouncer(server: string, mode: "session" | "transaction"): Promise<TestPooler> {
  const program = await provide(() => findProgram(["pgbouncer", "/usr/sbin/pgbouncer"]), "pgbouncer");
  const owner = await unprivilegedOwner();
  const folder = await disposableFolder(owner);
  const { port: serverPort, pathname, username } = new URL(server);
  const port = await freePort();
  const file = join(folder.path, "pgbouncer.ini");
  const name = pathname.slice(1);
  const poolSize = mode === "transaction" ? POOL_SIZE : 50;
  await writeFile(
    file,
    `[databases]
${name} = host=127.0.0.1 port=${serverPort} dbname=${name} user=${username}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
default_pool_size = ${poolSize}
`,
  );
  const child = await startServer(program, [file], /process up/, { ...owner, cwd: folder.path, endSignal: "INT" });
  return {
    url: `postgres://${username}@127.0.0.1:${port}${pathname}`,
    async [Symbol.asyncDispose]() {
      await child.end();
      await folder[Symbol.asyncDispose]();
    },
  };
}
