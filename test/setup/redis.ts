import type { GuardedChild } from "#queue";
import { pem } from "../kit/http.ts";
import { freePort } from "./free-port.ts";
import { findProgram, provide } from "./program.ts";
import { disposableFolder, startServer } from "./server.ts";

/** A Redis of this test's own: in memory, on a free port, gone with the test. */
export interface TestRedis extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** Ends the server; its data is gone. */
  stop(): Promise<void>;
  /** Starts it again, empty, on the same port. */
  start(): Promise<void>;
}

export interface TestRedisOptions {
  readonly password?: string;
  /** Takes only connections with TLS. The certificate is that of `test/kit/tls`. */
  readonly isTls?: boolean;
  /** More settings, as on the command line: `--maxmemory-policy allkeys-lru`. */
  readonly args?: readonly string[];
}

/** What a server or a Sentinel is given to speak TLS alone, and to speak it with the others, too. */
export const tlsSettings: readonly (readonly [name: string, value: string])[] = [
  ["tls-cert-file", pem("server")],
  ["tls-key-file", pem("server-key")],
  ["tls-ca-cert-file", pem("authority")],
  ["tls-auth-clients", "no"],
  ["tls-replication", "yes"],
];

const redisAdvice =
  "These tests need redis-server or valkey-server on the PATH. Install one (Debian: apt-get install redis-server; " +
  "macOS: brew install redis), or run them as root on Debian, and they install it. npm run test:unit needs none.";

/**
 * Where a Redis server's program is, after installing it if this process may.
 * @throws {Error} what to install.
 */
export function provideRedis(): Promise<string> {
  return provide(() => findProgram(["redis-server", "valkey-server"]), "redis-server", redisAdvice);
}

export async function startRedis({ password, isTls = false, args = [] }: TestRedisOptions = {}): Promise<TestRedis> {
  const command = await provideRedis();
  const port = await freePort();
  // A server with replicas writes its data to a file, and reads it when it starts.
  const folder = await disposableFolder(undefined);
  const secret = password === undefined ? [] : ["--requirepass", password];
  const entrance = isTls
    ? ["--port", "0", "--tls-port", String(port), ...tlsSettings.flatMap(([name, value]) => [`--${name}`, value])]
    : ["--port", String(port)];
  const flags = [...entrance, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", folder.path];
  const policy = ["--maxmemory-policy", "noeviction"];
  let server: GuardedChild | undefined;
  const redis: TestRedis = {
    url: `${isTls ? "rediss" : "redis"}://${password === undefined ? "" : `:${password}@`}127.0.0.1:${port}/0`,
    port,
    async stop() {
      await server?.end();
      server = undefined;
    },
    async start() {
      server ??= await startServer(command, [...flags, ...policy, ...secret, ...args], /ready to accept connections/i);
    },
    async [Symbol.asyncDispose]() {
      await redis.stop();
      await folder[Symbol.asyncDispose]();
    },
  };
  await redis.start();
  return redis;
}
