import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { listen } from "../setup/listen.ts";

/** A way to the service on which writes of one method can be held, as a network or a machine holds them that stands still. */
export class SlowWay implements AsyncDisposable {
  readonly url: string;
  readonly #target: string;
  readonly #server;
  #method: string | undefined;
  #held = Promise.withResolvers<void>();
  #released = Promise.withResolvers<void>();
  /** How the service answered the held request. */
  readonly late = Promise.withResolvers<number>();

  private constructor(target: string, server: ReturnType<typeof createServer>, port: number) {
    this.#target = target;
    this.#server = server;
    this.url = `http://127.0.0.1:${port}`;
    server.on("request", (asked, told) => void this.#pass(asked, told));
  }

  static async to(target: string): Promise<SlowWay> {
    const server = createServer();
    return new SlowWay(target, server, await listen(server));
  }

  /** Holds the next request of this method to a resource; resolves when there is one. */
  hold(method: string): Promise<void> {
    this.#method = method;
    return this.#held.promise;
  }

  release(): void {
    this.#released.resolve();
  }

  async #pass(asked: IncomingMessage, told: ServerResponse): Promise<void> {
    const { method = "", url = "", headers } = asked;
    const body = await text(asked);
    const isHeld = method === this.#method && url.includes("/v1/");
    if (isHeld) {
      this.#method = undefined;
      this.#held.resolve();
      await this.#released.promise;
    }
    const { authorization = "", "content-type": type = "application/json" } = headers;
    const answer = await fetch(this.#target + url, {
      method,
      headers: { authorization, "content-type": type },
      ...(body === "" ? {} : { body }),
    });
    if (isHeld) this.late.resolve(answer.status);
    told.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" });
    told.end(await answer.text());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.release();
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, "close");
  }
}
