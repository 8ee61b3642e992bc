import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { IncomingMessage, ServerResponse } from "node:http";
import { z } from "zod";

const STARTED = "http.server.request.start";
const exchange = z.object({ request: z.instanceof(IncomingMessage), response: z.instanceof(ServerResponse) });

/** Counts the requests that a server of this process has at once, as it begins and ends them: clocks would not tell which came first. */
export class RequestsAtOnce implements Disposable {
  /** Those that were under way when there were most. */
  most: readonly string[] = [];
  readonly #port: number;
  readonly #underWay = new Set<string>();
  readonly #started = (message: unknown) => this.#start(exchange.parse(message));

  constructor(serverUrl: string) {
    this.#port = Number(new URL(serverUrl).port);
    subscribe(STARTED, this.#started);
  }

  [Symbol.dispose](): void {
    unsubscribe(STARTED, this.#started);
  }

  #start({ request, response }: z.infer<typeof exchange>): void {
    if (request.socket.localPort !== this.#port) return;
    const text = `${request.method} ${request.url} from port ${request.socket.remotePort}`;
    this.#underWay.add(text);
    if (this.#underWay.size > this.most.length) this.most = [...this.#underWay];
    response.once("close", () => this.#underWay.delete(text));
  }
}
