import type { Database } from "better-sqlite3";
import type { Actor, StreamName } from "#model";
import type { ActStore, Pause, PersonAct } from "../../contract/acts.ts";
import type { AuditEntry } from "../../claim.ts";
import type { Access } from "../access.ts";
import type { AuditTrail } from "./audit-trail.ts";

interface PauseRow {
  readonly since: number;
  readonly until: number;
  readonly polls: number;
  readonly actor: string;
  readonly via: Actor["via"];
  readonly why: string | null;
}

const DURABLE = { durable: true } as const;

/** What people did to streams, and the streams that they paused. */
export class Acts implements ActStore {
  readonly #access: Access;
  readonly #audit: AuditTrail;
  readonly #save;
  readonly #find;
  readonly #end;

  constructor(db: Database, audit: AuditTrail, access: Access) {
    this.#access = access;
    this.#audit = audit;
    this.#save = db.prepare(`
      INSERT OR REPLACE INTO pauses (stream, since, until, polls, actor, via, why)
      VALUES (@stream, @since, @until, @polls, @actor, @via, @why)`);
    this.#find = db.prepare<[string], PauseRow>("SELECT * FROM pauses WHERE stream = ?");
    this.#end = db.prepare<[string]>("DELETE FROM pauses WHERE stream = ?");
  }

  save(stream: StreamName, act: Pick<AuditEntry, "action" | "outcome">, by: Actor): Promise<void> {
    const clean = this.#access.clean(by);
    return this.#access.step(() => this.#write(stream, act, clean), DURABLE);
  }

  recent(query: Parameters<ActStore["recent"]>[0]): Promise<PersonAct[]> {
    return this.#access.read(() => this.#audit.acts(query));
  }

  pause(streams: readonly StreamName[], { since, until, polls, by }: Pause): Promise<void> {
    const clean = this.#access.clean(by);
    const { name: actor, via, why = null } = clean;
    const outcome = `until ${new Date(until).toISOString()}${polls ? ", polls too" : ""}`;
    return this.#access.step(() => {
      for (const stream of streams) {
        this.#save.run({ stream, since, until, polls: polls ? 1 : 0, actor, via, why });
        this.#write(stream, { action: "pause", outcome }, clean);
      }
    }, DURABLE);
  }

  resume(streams: readonly StreamName[], now: number, by: Actor): Promise<StreamName[]> {
    const clean = this.#access.clean(by);
    return this.#access.step(() => {
      const ended = streams.filter((stream) => (this.#find.get(stream)?.until ?? now) > now);
      for (const stream of ended) {
        this.#end.run(stream);
        this.#write(stream, { action: "resume", outcome: "resumed" }, clean);
      }
      return ended;
    }, DURABLE);
  }

  pauseOf(stream: StreamName): Promise<Pause | undefined> {
    return this.#access.read(() => {
      const row = this.#find.get(stream);
      if (row === undefined) return undefined;
      const { since, until, polls, actor, via, why } = row;
      return { since, until, polls: polls === 1, by: { name: actor, via, why: why ?? undefined } };
    });
  }

  #write(stream: StreamName, act: Pick<AuditEntry, "action" | "outcome">, by: Actor): void {
    this.#audit.add({ stream, key: "" }, { ...act, resource: "", by });
  }
}
