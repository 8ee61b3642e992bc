import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { IncomingMessage, ServerResponse } from "node:http";
import { z } from "zod";
import { ask } from "../../store/postgres-place.ts";
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
const move = z.object({ stream: z.string(), before: z.string(), after: z.string() });

/** Sees every request of the replicas as it reaches the service, and every move of a cursor as it is committed. */
export class Witness implements AsyncDisposable {
  /** The most requests that were under way at once. */
  highest = 0;
  /** Moments at which more were under way than the ceiling allows. */
  readonly aboveCeiling: string[] = [];
  /** Requests by replica. */
  readonly requests: number[];
  logins = 0;
  readonly #site: Site;
  readonly #ceiling: number;
  #last = 0;
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

  /** The replica that asked the service for something most recently. */
  get lastActive(): number {
    return this.#last;
  }

  /** From now on the database writes down each cursor that moves back. To be called when the tables are there. */
  async watchCursors(): Promise<void> {
    await ask(this.#site.postgres.url, WATCH_CURSORS);
  }

  async cursorsMovedBack(): Promise<string[]> {
    const rows = await ask(this.#site.postgres.url, "SELECT stream, before, after FROM chaos.moved_back");
    return z
      .array(move)
      .parse(rows)
      .map(({ stream, before, after }) => `the cursor of ${stream} moved back from ${before} to ${after}`);
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
    this.#last = replica;
    this.requests[replica]! += 1;
    const started = { replica, port, method, url };
    this.#underWay.add(started);
    response.once("close", () => this.#underWay.delete(started));
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

/** In a schema of its own: the program takes every function in its own schema for one of its own. */
const WATCH_CURSORS = `
  CREATE SCHEMA IF NOT EXISTS chaos;
  CREATE TABLE IF NOT EXISTS chaos.moved_back (at timestamptz DEFAULT now(), stream text, before text, after text);
  CREATE OR REPLACE FUNCTION chaos.watch_cursor() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF (NEW.cursor::json -> 'settled' ->> 'mark') COLLATE "C" < (OLD.cursor::json -> 'settled' ->> 'mark') COLLATE "C" THEN
      INSERT INTO chaos.moved_back (stream, before, after) VALUES (NEW.stream, OLD.cursor, NEW.cursor);
    END IF;
    RETURN NEW;
  END $$;
  CREATE OR REPLACE TRIGGER watch_cursor AFTER UPDATE OF cursor ON svcsync.streams
    FOR EACH ROW EXECUTE FUNCTION chaos.watch_cursor()`;
