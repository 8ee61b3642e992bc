import { execFile } from "node:child_process";
import { rmSync } from "node:fs";
import { chown, readdir, readFile, realpath, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { asError } from "#model";
import type { GuardedChild } from "#queue";
import { childrenOf } from "../bench/process-facts.ts";
import { freePort } from "./free-port.ts";
import { findProgram, provide } from "./program.ts";
import { disposableFolder, startServer, unprivilegedOwner, type Owner } from "./server.ts";

const run = promisify(execFile);
const debianFolder = "/usr/lib/postgresql";
const NAMES = ["-A", "trust", "-U", "svcsync", "-E", "UTF8", "--no-locale", "--no-sync"];

/** A PostgreSQL of this test's own: a fresh cluster on a free port, gone with the test. */
export interface TestPostgres extends AsyncDisposable {
  /** Superuser `svcsync`, no password, database `postgres`. */
  readonly url: string;
  readonly port: number;
  /** Hears what the server logs, line by line, from now on. */
  onLine(listener: (line: string) => void): void;
  /** Ends the server; its data stays until the test ends. `immediate`: as a crash, it has to recover. `killed`: kill -9 of all its processes. */
  stop(manner?: "fast" | "immediate" | "killed"): Promise<void>;
  /** Halts all its processes where they are: connections stay open, and nobody answers. Only `stop("killed")` ends it then. */
  freeze(): Promise<void>;
  /** Starts it again on the same port and data. `isStandby`: it takes no writes until `pg_promote()`. */
  start(options?: { readonly isStandby: boolean }): Promise<void>;
  /** Copies what is committed now, as a standby that hears of nothing later. */
  copy(): Promise<void>;
  /** Fails over to that copy: the server crashes, and the copy answers on its port. */
  failOver(): Promise<void>;
}

export interface TestPostgresOptions {
  /** Lines of pg_hba.conf that come first, for users who need a password. */
  readonly hba?: readonly string[];
  /** As a server in use, where others save the time. */
  readonly waitsForDisk?: boolean;
  /** Folders on another disk, for the tables and for the write-ahead log. */
  readonly tablesIn?: string;
  readonly logIn?: string;
}

/** A child may end at the moment that it is found. */
function killUnlessEnded(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (thrown) {
    const { code }: NodeJS.ErrnoException = asError(thrown);
    if (code !== "ESRCH") throw thrown;
  }
}

export async function startPostgres(options: TestPostgresOptions = {}): Promise<TestPostgres> {
  const { hba = [], waitsForDisk = false, tablesIn, logIn } = options;
  const initdb = await provide(findInitdb, "postgresql");
  const owner = await unprivilegedOwner();
  const folder = await disposableFolder(owner);
  const data = join(tablesIn ?? folder.path, "data");
  const copy = join(folder.path, "copy");
  const as = { ...owner, cwd: folder.path };
  for (const path of [tablesIn, logIn]) if (path !== undefined && owner) await chown(path, owner.uid, owner.gid);
  const log = ["--waldir", join(logIn ?? folder.path, "log"), "--wal-segsize", "1"];
  if (tablesIn === undefined && logIn === undefined) await copyCluster(initdb, data, owner);
  else await run(initdb, ["-D", data, ...NAMES, ...log], as);
  const hbaFile = join(data, "pg_hba.conf");
  await writeFile(hbaFile, [...hba, await readFile(hbaFile, "utf8")].join("\n"));
  const port = await freePort();
  const listeners = new Set<(line: string) => void>();
  const place = ["-D", data, "-p", String(port), "-k", folder.path, "-c", "listen_addresses=127.0.0.1"];
  const speed = ["-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off"];
  let server: GuardedChild | undefined;
  const signal = async (name: NodeJS.Signals, alsoChildren: boolean) => {
    const [text] = (await readFile(join(data, "postmaster.pid"), "utf8")).split("\n");
    const pid = Number(text);
    const children = alsoChildren ? await childrenOf(pid) : [];
    // The parent first: it would answer the end of a child by ending the others.
    process.kill(pid, name);
    for (const child of children) killUnlessEnded(child, name);
  };
  const postgres: TestPostgres = {
    url: `postgres://svcsync@127.0.0.1:${port}/postgres`,
    port,
    onLine: (listener) => listeners.add(listener),
    async stop(manner = "fast") {
      if (manner !== "fast" && server) {
        await signal(manner === "killed" ? "SIGKILL" : "SIGQUIT", manner === "killed");
        await server.ended;
      }
      await server?.end();
      server = undefined;
    },
    freeze: () => signal("SIGSTOP", true),
    async start({ isStandby } = { isStandby: false }) {
      const program = join(dirname(initdb), "postgres");
      if (server) return;
      if (isStandby) await writeFile(join(data, "standby.signal"), "");
      const isReady = /ready to accept (read-only )?connections/;
      server = await startServer(program, waitsForDisk ? place : [...place, ...speed], isReady, {
        ...as,
        /** TERM would wait for open connections. */
        endSignal: "INT",
      });
      server.onLine((line) => {
        for (const listener of listeners) listener(line);
      });
    },
    async copy() {
      const to = ["-D", copy, "--checkpoint=fast", "--wal-method=fetch", "--no-sync"];
      await run(
        join(dirname(await realpath(initdb)), "pg_basebackup"),
        ["-h", "127.0.0.1", "-p", String(port), "-U", "svcsync", ...to],
        as,
      );
    },
    async failOver() {
      await postgres.stop("immediate");
      await rm(data, { recursive: true });
      await rename(copy, data);
      await postgres.start();
    },
    async [Symbol.asyncDispose]() {
      await postgres.stop();
      await folder[Symbol.asyncDispose]();
    },
  };
  await postgres.start();
  return postgres;
}

/** A fresh cluster that this process has not used, once it was made. */
let template: Promise<string> | undefined;

/** Makes a cluster. A copy costs a quarter of the processor time of another one, and most tests want one of their own. */
async function copyCluster(initdb: string, data: string, owner: Owner | undefined): Promise<void> {
  template ??= makeTemplate(initdb, owner);
  await run("cp", ["-R", "-p", await template, data], { ...owner });
}

async function makeTemplate(initdb: string, owner: Owner | undefined): Promise<string> {
  const { path } = await disposableFolder(owner);
  process.once("exit", () => rmSync(path, { recursive: true, force: true }));
  const data = join(path, "data");
  await run(initdb, ["-D", data, ...NAMES], { ...owner, cwd: path });
  return data;
}

/** A server for all tests of a file, started when it is first asked for. */
export function postgresServer(): { readonly url: () => Promise<string>; readonly end: () => Promise<void> } {
  let server: Promise<TestPostgres> | undefined;
  return {
    url: async () => (await (server ??= startPostgres())).url,
    end: async () => (await server)?.[Symbol.asyncDispose](),
  };
}

/** The newest version: on the PATH, or where Debian keeps all of them. */
async function findInitdb(): Promise<string | undefined> {
  const versions = await readdir(debianFolder).catch(() => []);
  const newestFirst = versions.toSorted((a, b) => Number(b) - Number(a));
  return await findProgram(["initdb", ...newestFirst.map((version) => join(debianFolder, version, "bin/initdb"))]);
}
