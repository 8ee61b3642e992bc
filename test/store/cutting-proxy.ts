import { connect, createServer } from "node:net";
import { listen } from "../setup/listen.ts";

/** Where a connection is cut: before the server has the message, in the middle of it, or before the client has the answer. */
export type Cut = "before" | "during" | "after";

/** A way to a server on this machine that can be cut at one message. */
export interface CuttingProxy extends AsyncDisposable {
  readonly port: number;
  /** Cuts the connection of the next message to the server that holds this text. */
  cut(where: Cut, text: string): void;
}

export async function cuttingProxy(serverPort: number): Promise<CuttingProxy> {
  let next: { where: Cut; text: string } | undefined;
  const server = createServer((client) => {
    const target = connect(serverPort, "127.0.0.1");
    let isDeaf = false;
    const end = () => {
      client.destroy();
      target.destroy();
    };
    for (const socket of [client, target]) socket.on("error", end).on("close", end);
    client.on("data", (data) => {
      const cut = next !== undefined && data.includes(next.text) ? next.where : undefined;
      if (cut !== undefined) next = undefined;
      if (cut === "before") return end();
      if (cut === "during") return void target.write(data.subarray(0, data.length / 2), end);
      isDeaf ||= cut === "after";
      target.write(data);
    });
    target.on("data", (data) => (isDeaf ? end() : client.write(data)));
  });
  return {
    port: await listen(server),
    cut(where, text) {
      next = { where, text };
    },
    [Symbol.asyncDispose]: async () => void server.close(),
  };
}
