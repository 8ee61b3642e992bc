import { once } from "node:events";
import { createServer } from "node:net";
import { listen } from "./listen.ts";

/** A TCP port of 127.0.0.1 that nobody used a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  server.close();
  await once(server, "close");
  return port;
}
