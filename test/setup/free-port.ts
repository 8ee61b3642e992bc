import { once } from "node:events";
import { createServer } from "node:net";
import { listen } from "./listen.ts";

/**
 * Below the ports that a system gives to those who ask for any: one of those may be taken before the program that is to have it has
 * begun. Above 10080, which browsers and fetch refuse.
 */
const FIRST = 11_000;
const COUNT = 20_000;
/** Processes that run side by side begin apart. */
const APART = 97;

let next = (process.pid * APART) % COUNT;

/** A TCP port of 127.0.0.1 that is free, and different in each call. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + next;
    next = (next + 1) % COUNT;
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    await listen(server, port);
  } catch {
    return false;
  }
  server.close();
  await once(server, "close");
  return true;
}
