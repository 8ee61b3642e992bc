import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { IncomingMessage, ServerResponse } from "node:http";
import { z } from "zod";
import { sessionNoteName } from "#store";
import { ask } from "../../store/postgres-place.ts";
import { SETTLE_LAG_SECONDS } from "../rig.ts";
import type { Method } from "./plan.ts";
import type { Site } from "./site.ts";

const STARTED = "http.server.request.start";

interface UnderWay {
  readonly replica: number;
  readonly port: number | undefined;
  readonly method: string;
  readonly url: string;
}

const exchange = z.object({ request: z.instanceof(IncomingMessage), response: z.instanceof(ServerResponse) });
/** A write as it reached the service. */
interface Write {
  readonly client: number;
  readonly at: number;
  readonly text: string;
  /** What the service answered: 401 refuses its token. */
  readonly status: number;
}

const fence = z.object({ client: z.number(), at: z.number() });
const move = z.object({ stream: z.string(), before: z.string(), after: z.string() });

/**
 * Sees every request of the replicas as it reaches the service, and every move of a cursor and every fence as it is committed. Learns of
 * these by {@link learn}: a store that is put back forgets them.
 */
export class Witness implements AsyncDisposable {
  /** The most requests that were under way at once. */
  highest = 0;
  /** Moments at which more were under way than the ceiling allows. */
  readonly aboveCeiling: string[] = [];
  /** Requests by replica. */
  readonly requests: number[];
  logins = 0;
  /** Moves of a cursor backwards. */
  readonly movedBack: string[] = [];
  /** When a process was fenced: from then on the service is to refuse its writes. A failover takes back what it lost. */
  #fences: ReadonlyMap<number, number> = new Map();
  readonly #writes: Write[] = [];
  readonly #site: Site;
  readonly #ceiling: number;
  readonly #underWay = new Set<UnderWay>();
  readonly #waiting = new Set<(request: UnderWay) => void>();
  readonly #started = (message: unknown) => this.#start(exchange.parse(message));

  constructor(site: Site, ceiling: number) {
    this.#site = site;
    this.#ceiling = ceiling;
    this.requests = site.machines.map(() => 0);
    subscribe(STARTED, this.#started);
  }

  /** Resolves at the next request of this replica that has reached the service and is not carried out yet; false if none comes. */
  next(replica: number, method: Method, ms: number): Promise<boolean> {
    return new Promise((resolve) => {
      const end = (came: boolean) => {
        clearTimeout(timer);
        this.#waiting.delete(heard);
        resolve(came);
      };
      const heard = (request: UnderWay) => void (request.replica === replica && request.method === method && end(true));
      const timer = setTimeout(() => end(false), ms);
      this.#waiting.add(heard);
    });
  }

  /** From now on the database writes down each cursor that moves back, and each fence. To be called when the tables are there. */
  async watch(): Promise<void> {
    await ask(this.#site.postgres.url, WATCH);
  }

  async learn(): Promise<void> {
    const moves = await ask(this.#site.postgres.url, "DELETE FROM chaos.moved_back RETURNING stream, before, after");
    for (const { stream, before, after } of z.array(move).parse(moves))
      this.movedBack.push(`the cursor of ${stream} moved back from ${before} to ${after}`);
    const fences = z.array(fence).parse(await ask(this.#site.postgres.url, FENCES));
    // The earliest of each.
    this.#fences = new Map(fences.toReversed().map(({ client, at }) => [client, at]));
  }

  /** Whether a process has been fenced. */
  async isFenced(client: number): Promise<boolean> {
    if (!this.#fences.has(client)) await this.learn();
    return this.#fences.has(client);
  }

  /** Writes that reached the service after their sender was fenced: those that it refused, and those that it did not. */
  lateWrites(): { refused: number; accepted: string[] } {
    const late = this.#writes.filter(({ client, at }) => at > (this.#fences.get(client) ?? Infinity));
    const accepted = late.filter(({ status }) => status !== 401);
    return {
      refused: late.length - accepted.length,
      accepted: accepted.map(({ client, at, text, status }) => {
        const lateMs = at - this.#fences.get(client)!;
        return `${text} of process ${client} was answered ${status} ${lateMs} ms after its fence`;
      }),
    };
  }

  /** What the store still has to do, a line for each record: for people who look at a bad verdict. */
  async unfinished(): Promise<string> {
    const rows = await ask(this.#site.postgres.url, UNFINISHED);
    return rows.map((row) => JSON.stringify(row)).join("\n");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    unsubscribe(STARTED, this.#started);
  }

  #start({ request, response }: z.infer<typeof exchange>): void {
    const port = request.socket.remotePort;
    const replica = this.#site.machines.findIndex(({ links }) => links.service.owns(port));
    if (replica < 0) return;
    const { method = "", url = "" } = request;
    if (/\/log(in|out)\b/.test(url)) {
      if (url.includes("login")) this.logins += 1;
      return;
    }
    this.requests[replica]! += 1;
    const started = { replica, port, method, url };
    this.#underWay.add(started);
    const at = Date.now();
    const client = this.#site.machines[replica]?.links.service.clientOf(port);
    response.once("close", () => {
      this.#underWay.delete(started);
      if (method === "GET" || client === undefined || !request.complete) return;
      this.#writes.push({ client, at, text: `${method} ${url}`, status: response.statusCode });
    });
    for (const heard of this.#waiting) heard(started);
    this.#count();
  }

  /** What a client has given up is no longer under way for it. */
  #count(): void {
    const waiting = [...this.#underWay].filter(({ replica, port }) =>
      this.#site.machines[replica]?.links.service.isWaiting(port),
    );
    this.highest = Math.max(this.highest, waiting.length);
    if (waiting.length <= this.#ceiling) return;
    const each = waiting.map(({ replica, method, url }) => `${replica + 1}: ${method} ${url}`);
    this.aboveCeiling.push(`${new Date().toISOString()} ${waiting.length} requests at once: ${each.join(", ")}`);
  }
}

const UNFINISHED = `
  SELECT now() AS at, to_timestamp(due_at / 1000.0) AS due, stream, key, state, attempts, error FROM svcsync.records
  WHERE due_at IS NOT NULL OR state IN ('parked', 'uncertain') ORDER BY due_at`;

/** A replica that was lost while it sent is fenced when its session has been ended; where the store was put back, when what it sent has settled. */
const FENCES = `
  SELECT l.client, ceil(extract(epoch FROM f.at) * 1000)::float AS at FROM chaos.lost l CROSS JOIN LATERAL (
    SELECT CASE WHEN l.is_open THEN (SELECT min(e.at) FROM chaos.ended e WHERE e.at > l.at)
      WHEN l.is_restored THEN l.at + interval '${SETTLE_LAG_SECONDS} s' ELSE l.at END AS at) f
  WHERE f.at IS NOT NULL ORDER BY l.at`;

/** In a schema of its own: the program takes every function in its own schema for one of its own. */
const WATCH = `
  CREATE SCHEMA chaos;
  CREATE TABLE chaos.moved_back (at timestamptz DEFAULT now(), stream text, before text, after text);
  CREATE FUNCTION chaos.watch_cursor() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF (NEW.cursor::json -> 'settled' ->> 'mark') COLLATE "C" < (OLD.cursor::json -> 'settled' ->> 'mark') COLLATE "C" THEN
      INSERT INTO chaos.moved_back (stream, before, after) VALUES (NEW.stream, OLD.cursor, NEW.cursor);
    END IF;
    RETURN NEW;
  END $$;
  CREATE TRIGGER watch_cursor AFTER UPDATE OF cursor ON svcsync.streams FOR EACH ROW EXECUTE FUNCTION chaos.watch_cursor();

  CREATE TABLE chaos.lost (client integer, at timestamptz, is_open boolean, is_restored boolean);
  CREATE FUNCTION chaos.watch_members() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO chaos.lost VALUES (substring(OLD.name FROM 'process (\\d+)')::integer, clock_timestamp(), svcsync.is_revoked(),
      EXISTS (SELECT 1 FROM svcsync.notes WHERE name = 'restored' AND value = 'true'));
    RETURN NULL;
  END $$;
  -- At the commit, when it is known whether the session is to be ended.
  CREATE CONSTRAINT TRIGGER watch_members AFTER DELETE ON svcsync.members DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION chaos.watch_members();

  -- One that found the database away while it joined leaves and joins again.
  CREATE FUNCTION chaos.watch_joining() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    DELETE FROM chaos.lost WHERE client = substring(NEW.name FROM 'process (\\d+)')::integer;
    RETURN NULL;
  END $$;
  CREATE TRIGGER watch_joining AFTER INSERT ON svcsync.members FOR EACH ROW EXECUTE FUNCTION chaos.watch_joining();

  CREATE TABLE chaos.ended (at timestamptz);
  CREATE FUNCTION chaos.watch_session() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF position('"revoked":true' IN OLD.value) > 0 AND position('"revoked":true' IN NEW.value) = 0 THEN
      INSERT INTO chaos.ended VALUES (clock_timestamp());
    END IF;
    RETURN NULL;
  END $$;
  CREATE TRIGGER watch_session AFTER UPDATE ON svcsync.notes
    FOR EACH ROW WHEN (OLD.name = '${sessionNoteName}') EXECUTE FUNCTION chaos.watch_session()`;
