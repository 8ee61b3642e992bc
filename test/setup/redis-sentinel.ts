import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Redis } from "ioredis";
import { Closing } from "#daemon";
import { sleep } from "#model";
import { pem } from "../kit/http.ts";
import { freePort } from "./free-port.ts";
import { findProgram, provide } from "./program.ts";
import { startRedis, tlsSettings, type TestRedis } from "./redis.ts";
import { disposableFolder, startServer } from "./server.ts";

const primaryName = "mymaster";
/** A primary that says nothing for so long is replaced, in milliseconds. */
const downAfterMs = 1_000;
const lookMs = 20;

/** A primary and a replica, and three Sentinels that watch them. Gone with the test. */
export interface TestSentinels extends AsyncDisposable {
  /** Of the queue: all Sentinels, the name of the primary, and the passwords. */
  readonly url: string;
  /** The servers: the first one is the primary until it is replaced. */
  readonly servers: readonly TestRedis[];
  /** Their process ids at the beginning. */
  readonly serverPids: readonly number[];
  /** The process ids of the Sentinels, in the order of `url`. */
  readonly pids: readonly number[];
  /** The process id of the server that Sentinel names. */
  primary(): Promise<number>;
  /** Resolves when Sentinel names another server than this process, and that one takes writes. */
  replaced(pid: number): Promise<void>;
}

export interface TestSentinelsOptions {
  /** Of the servers. */
  readonly password?: string;
  readonly sentinelPassword?: string;
  /** Servers and Sentinels take only connections with TLS. */
  readonly isTls?: boolean;
}

export async function startSentinels(options: TestSentinelsOptions = {}): Promise<TestSentinels> {
  const closing = new Closing();
  try {
    const servers = await startServers(options, closing);
    const clients = servers.map(({ url }) => clientOf(url, closing));
    await until(async () => (await clients[1]!.info("replication")).includes("master_link_status:up"));
    const sentinels = await startWatchers(servers[0].port, options, closing);
    const named = async () => {
      const address = await sentinels[0]!.client.call("SENTINEL", "GET-MASTER-ADDR-BY-NAME", primaryName);
      const at = servers.findIndex(({ port }) => Array.isArray(address) && address[1] === String(port));
      if (at < 0) throw new Error(`Sentinel names ${JSON.stringify(address)}`);
      return at;
    };
    const serverPids = await Promise.all(clients.map(pidOf));
    const primary = async () => serverPids[await named()]!;
    const user = options.password === undefined ? "" : `:${options.password}@`;
    const query = options.sentinelPassword === undefined ? "" : `?sentinel_password=${options.sentinelPassword}`;
    const hosts = sentinels.map(({ port }) => `127.0.0.1:${port}`).join();
    return {
      url: `${options.isTls ? "rediss" : "redis"}+sentinel://${user}${hosts}/${primaryName}/0${query}`,
      servers,
      serverPids,
      pids: await Promise.all(sentinels.map(({ client }) => pidOf(client))),
      primary,
      async replaced(pid) {
        await until(async () => (await primary()) !== pid);
        const client = clients[await named()]!;
        await until(async () => (await client.info("replication")).includes("role:master"));
      },
      [Symbol.asyncDispose]: () => closing[Symbol.asyncDispose](),
    };
  } catch (thrown) {
    await closing[Symbol.asyncDispose]();
    throw thrown;
  }
}

/** The second one follows the first. */
async function startServers(
  { password, isTls = false }: TestSentinelsOptions,
  closing: Closing,
): Promise<[TestRedis, TestRedis]> {
  const secret = { isTls, ...(password === undefined ? {} : { password }) };
  const login = password === undefined ? [] : ["--masterauth", password];
  const first = closing.use(await startRedis({ ...secret, args: login }));
  const follow = ["--replicaof", "127.0.0.1", String(first.port)];
  return [first, closing.use(await startRedis({ ...secret, args: [...login, ...follow] }))];
}

async function startWatchers(primaryPort: number, options: TestSentinelsOptions, closing: Closing) {
  const program = await provide(() => findProgram(["redis-sentinel", "valkey-sentinel"]), "redis-sentinel");
  const folder = closing.use(await disposableFolder(undefined));
  const user = options.sentinelPassword === undefined ? "" : `:${options.sentinelPassword}@`;
  const sentinels: { port: number; client: Redis }[] = [];
  for (let at = 0; at < 3; at++) {
    const port = await freePort();
    const file = join(folder.path, `${port}.conf`);
    await writeFile(file, configuration(port, primaryPort, folder.path, options));
    const child = await startServer(program, [file], /\+monitor master/);
    closing.defer(() => child.end());
    const scheme = options.isTls ? "rediss" : "redis";
    sentinels.push({ port, client: clientOf(`${scheme}://${user}127.0.0.1:${port}`, closing) });
  }
  for (const { client } of sentinels) await until(() => knowsAll(client));
  return sentinels;
}

/** Before Sentinels know each other and the replica, they replace no primary. */
async function knowsAll(sentinel: Redis): Promise<boolean> {
  const answer = await sentinel.call("SENTINEL", "MASTER", primaryName);
  const facts = Array.isArray(answer) ? answer.map(String) : [];
  const fact = (name: string) => facts[facts.indexOf(name) + 1];
  return fact("num-slaves") === "1" && fact("num-other-sentinels") === "2";
}

function configuration(port: number, primaryPort: number, folder: string, options: TestSentinelsOptions): string {
  const { password, sentinelPassword, isTls } = options;
  const tls = tlsSettings.map(([name, value]) => `${name} ${value}`);
  return [
    ...(isTls ? ["port 0", `tls-port ${port}`, ...tls] : [`port ${port}`]),
    "bind 127.0.0.1",
    `dir ${folder}`,
    `sentinel monitor ${primaryName} 127.0.0.1 ${primaryPort} 2`,
    `sentinel down-after-milliseconds ${primaryName} ${downAfterMs}`,
    `sentinel failover-timeout ${primaryName} ${3 * downAfterMs}`,
    ...(password === undefined ? [] : [`sentinel auth-pass ${primaryName} ${password}`]),
    ...(sentinelPassword === undefined ? [] : [`requirepass ${sentinelPassword}`]),
    "",
  ].join("\n");
}

function clientOf(url: string, closing: Closing): Redis {
  const tls = url.startsWith("rediss:") ? { tls: { ca: readFileSync(pem("authority")) } } : {};
  const client = new Redis(url, { ...tls, retryStrategy: () => lookMs, disconnectTimeout: 1 });
  client.on("error", () => undefined);
  closing.defer(() => client.disconnect());
  return client;
}

async function pidOf(client: Redis): Promise<number> {
  return Number(/^process_id:(\d+)/m.exec(await client.info("server"))?.[1]);
}

async function until(look: () => Promise<boolean>): Promise<void> {
  while (!(await look())) await sleep(lookMs);
}
