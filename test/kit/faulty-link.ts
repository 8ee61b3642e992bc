import { connect, createServer, type Server, type Socket } from "node:net";
import { listen } from "../setup/listen.ts";

export type Direction = "toServer" | "toClient";

interface Condition {
  readonly held: readonly Direction[];
  readonly delayMs: number;
}

const CLEAR: Condition = { held: [], delayMs: 0 };

/** A request that is on its way for as long as one likes, also when its sender has gone. */
export interface KeptRequest {
  /** Who sent it. */
  readonly client: number | undefined;
  /** Brings it to the server. */
  bring(): void;
  /** Loses it. */
  lose(): void;
}

/**
 * A way to a server on this machine on which bytes are held back, late or lost, as in a network that is cut. A held connection stays
 * open on both sides, so that neither hears the end of the other, and its bytes arrive when the network is back, unless the sender
 * closed it or they are older than `maxHeldMs`.
 */
export class FaultyLink implements AsyncDisposable {
  readonly #server: Server;
  readonly #connections = new Set<Connection>();
  #port = 0;
  /** Who connects from now on. */
  client: number | undefined;
  #condition = CLEAR;
  #cutsAnswer = false;
  #awaited: { readonly begin: string; readonly keep: (kept: KeptRequest) => void } | undefined;

  private constructor(serverPort: number, maxHeldMs: number) {
    this.#server = createServer({ allowHalfOpen: true }, (client) => {
      const connection = new Connection(client, connect(serverPort, "127.0.0.1"), maxHeldMs, {
        client: this.client,
        asked: (data) => this.#asked(data, connection),
        cutsAnswer: () => this.#answered(),
      });
      connection.under(this.#condition);
      this.#connections.add(connection);
      // A client that does not hear of the server's end yet is still to hear of it.
      const forget = () => void (connection.isOver && this.#connections.delete(connection));
      for (const socket of [client, connection.target]) socket.once("close", forget);
    });
  }

  static async to(serverPort: number, maxHeldMs = Infinity): Promise<FaultyLink> {
    const link = new FaultyLink(serverPort, maxHeldMs);
    link.#port = await listen(link.#server);
    return link;
  }

  get port(): number {
    return this.#port;
  }

  /** Nothing passes in these directions until {@link heal}. */
  hold(...held: readonly Direction[]): void {
    this.#set({ held, delayMs: 0 });
  }

  /** Each piece takes this long. */
  slow(delayMs: number): void {
    this.#set({ held: [], delayMs });
  }

  heal(): void {
    this.#set(CLEAR);
  }

  /** Ends every connection, so that both sides hear of it. */
  reset(): void {
    for (const connection of this.#connections) connection.end();
  }

  /** The next answer is lost with its connection: the server has done what was asked. */
  cutNextAnswer(): void {
    this.#cutsAnswer = true;
  }

  /** Keeps the next request of this method back; undefined if none comes within `ms`. */
  keepNext(method: string, ms: number): Promise<KeptRequest | undefined> {
    return new Promise((resolve) => {
      const end = (kept: KeptRequest | undefined) => {
        clearTimeout(timer);
        this.#awaited = undefined;
        resolve(kept);
      };
      const timer = setTimeout(() => end(undefined), ms);
      this.#awaited = { begin: `${method} `, keep: end };
    });
  }

  /** Whether the connection that the server sees from this port is of this link, and its client still waits at the other end. */
  isWaiting(remotePort: number | undefined): boolean {
    return this.#find(remotePort)?.isWaiting ?? false;
  }

  owns(remotePort: number | undefined): boolean {
    return this.#find(remotePort) !== undefined;
  }

  /** Who opened the connection that the server sees from this port. */
  clientOf(remotePort: number | undefined): number | undefined {
    return this.#find(remotePort)?.client;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.reset();
  }

  #find(remotePort: number | undefined): Connection | undefined {
    return [...this.#connections].find(({ target }) => target.localPort === remotePort);
  }

  #set(condition: Condition): void {
    this.#condition = condition;
    for (const connection of this.#connections) connection.under(condition);
  }

  #asked(data: Buffer, connection: Connection): void {
    if (this.#awaited && data.toString("latin1", 0, this.#awaited.begin.length) === this.#awaited.begin)
      this.#awaited.keep(connection.keep());
  }

  #answered(): boolean {
    const cuts = this.#cutsAnswer;
    this.#cutsAnswer = false;
    return cuts;
  }
}

interface ConnectionDeps {
  readonly client: number | undefined;
  readonly asked: (data: Buffer) => void;
  readonly cutsAnswer: () => boolean;
}

/** One connection of a client, and ours to the server in its place. */
class Connection {
  readonly target: Socket;
  readonly client: number | undefined;
  readonly #source: Socket;
  #isLate = false;
  readonly #lanes: Readonly<Record<Direction, Lane>>;

  constructor(source: Socket, target: Socket, maxHeldMs: number, { client, asked, cutsAnswer }: ConnectionDeps) {
    this.#source = source;
    this.target = target;
    this.client = client;
    this.#lanes = { toServer: new Lane(source, target, maxHeldMs), toClient: new Lane(target, source, maxHeldMs) };
    for (const socket of [source, target]) socket.setNoDelay().on("error", () => undefined);
    source
      .on("data", (data) => {
        asked(data);
        this.#lanes.toServer.push(data);
      })
      .on("end", () => this.#lanes.toServer.close())
      .on("close", () => this.#lanes.toServer.close());
    target
      .on("data", (data) => (cutsAnswer() ? this.end() : this.#lanes.toClient.push(data)))
      .on("close", () => this.#lanes.toClient.close());
  }

  get isOver(): boolean {
    return this.#source.closed && this.target.closed;
  }

  get isWaiting(): boolean {
    return !hasGone(this.#source) && !this.#isLate;
  }

  keep(): KeptRequest {
    const { toServer } = this.#lanes;
    this.#isLate = true;
    toServer.keep();
    return { client: this.client, bring: () => toServer.bring(), lose: () => this.end() };
  }

  under({ held, delayMs }: Condition): void {
    for (const direction of ["toServer", "toClient"] as const)
      this.#lanes[direction].under(held.includes(direction), delayMs);
  }

  end(): void {
    this.#source.destroy();
    this.target.destroy();
  }
}

/** One direction of a connection. */
class Lane {
  readonly #from: Socket;
  readonly #to: Socket;
  readonly #maxHeldMs: number;
  #waiting: { readonly data: Buffer; readonly at: number }[] = [];
  #isHeld = false;
  #isKept = false;
  /** What comes now was kept: it comes also from a sender that has gone. */
  #isLate = false;
  #delayMs = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(from: Socket, to: Socket, maxHeldMs: number) {
    this.#from = from;
    this.#to = to;
    this.#maxHeldMs = maxHeldMs;
  }

  push(data: Buffer): void {
    this.#waiting.push({ data, at: performance.now() });
    this.#pass();
  }

  under(isHeld: boolean, delayMs: number): void {
    const wasHeld = this.#isHeld;
    this.#isHeld = isHeld;
    this.#delayMs = delayMs;
    if (wasHeld && !isHeld) this.#release();
    this.#pass();
  }

  /** The sender has gone; what it sent before goes on its way, unless it is held. */
  close(): void {
    this.#pass();
  }

  keep(): void {
    this.#isKept = true;
  }

  bring(): void {
    this.#isKept = false;
    this.#isLate = true;
    this.#pass();
  }

  #release(): void {
    if (this.#isKept) return;
    const [first] = this.#waiting;
    const isLost = hasGone(this.#from) || (first && performance.now() - first.at > this.#maxHeldMs);
    if (!isLost) return;
    this.#waiting = [];
    this.#from.destroy();
    this.#to.destroy();
  }

  #pass(): void {
    if (this.#isHeld || this.#isKept || this.#timer) return;
    for (let first = this.#waiting[0]; first; first = this.#waiting[0]) {
      const early = first.at + this.#delayMs - performance.now();
      if (early > 0) {
        this.#timer = setTimeout(() => {
          this.#timer = undefined;
          this.#pass();
        }, early);
        return;
      }
      this.#waiting.shift();
      this.#to.write(first.data);
    }
    if (hasGone(this.#from) && !this.#isLate) this.#to.end();
  }
}

/** Its end was heard; the other side of it may still be open. */
function hasGone({ readableEnded, destroyed }: Socket): boolean {
  return readableEnded || destroyed;
}
