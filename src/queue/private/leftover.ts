import { execFile } from "node:child_process";
import { readFile, rm } from "node:fs/promises";
import { promisify } from "node:util";
import { Redis } from "ioredis";
import { within, codeOf, sleep } from "#model";
import { partAtOnce } from "../bull/redis-client.ts";

/** Name of the connection that shows that the server's owner is alive. */
export const ownerName = "svcsync-owner";

const answerTimeoutMs = 1_000;
/** How long a new owner may take to connect to its server, in milliseconds. */
const ownerPatienceMs = 500;
const endTimeoutMs = 3_000;
const endLookMs = 50;

/** What listens on the socket of a private server: nothing, a server in use, or one whose owner died. */
export type Occupant = "none" | "owned" | "left behind";

export async function findOccupant(socket: string): Promise<Occupant> {
  const first = await look(socket);
  if (first !== "left behind") return first;
  await sleep(ownerPatienceMs);
  return await look(socket);
}

/** Ends a server that its owner left behind, and resolves when it is gone. */
export async function endLeftover(socket: string): Promise<void> {
  await ask(socket, async (client) => {
    await client.call("SHUTDOWN", "NOSAVE").catch(() => undefined);
  }).catch(() => undefined);
  if (!(await isGone(socket))) await killByFile(pidFile(socket));
  await rm(socket, { force: true });
}

async function isGone(socket: string): Promise<boolean> {
  const deadline = performance.now() + endTimeoutMs;
  while (performance.now() < deadline) {
    if ((await look(socket)) === "none") return true;
    await sleep(endLookMs);
  }
  return false;
}

export const pidFile = (socket: string) => `${socket}.pid`;

async function look(socket: string): Promise<Occupant> {
  try {
    const clients = await ask(socket, (client) => client.call("CLIENT", "LIST"));
    return String(clients).includes(` name=${ownerName} `) ? "owned" : "left behind";
  } catch (error) {
    const code = codeOf(error);
    return code === "ENOENT" || code === "ECONNREFUSED" ? "none" : "left behind";
  }
}

async function ask<T>(socket: string, question: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis({
    path: socket,
    lazyConnect: true,
    retryStrategy: null,
    enableReadyCheck: false,
    ...partAtOnce,
  });
  let reason: Error | undefined;
  client.on("error", (error: Error) => (reason = error));
  const answer = client.connect().then(() => question(client));
  try {
    return await within(answerTimeoutMs, answer, () => {
      throw new Error(`no answer within ${answerTimeoutMs} ms`);
    });
  } catch (error) {
    throw reason ?? error;
  } finally {
    client.disconnect();
  }
}

/** Last resort: kills a server that holds its socket but does not answer. */
async function killByFile(file: string): Promise<void> {
  const pid = Number(await readFile(file, "utf8").catch(() => ""));
  if (pid > 1) await promisify(execFile)("kill", ["-KILL", String(pid)]).catch(() => undefined);
}
