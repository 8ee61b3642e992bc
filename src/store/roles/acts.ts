import type { Actor, Clock, StreamName } from "#model";
import type { AuditEntry } from "../claim.ts";
import type { ActStore, Pause, PersonAct } from "../contract/people/acts.ts";
import { alikeActs, type ActRow } from "../rows/act-row.ts";
import { actorOf, actorRow, type ActorRow } from "../rows/actor-row.ts";
import { addAudit } from "../rows/audit-row.ts";
import { upsert, type Access, type Dialect, type Statement } from "./access.ts";

interface PauseRow extends ActorRow {
  readonly since: number;
  readonly until: number;
  readonly polls: number;
}

const DURABLE = { durable: true } as const;

/** What people did to streams, and which streams they paused. */
export class Acts implements ActStore {
  readonly #access: Access;
  readonly #clock: Clock;
  readonly #recent: string;

  constructor(access: Access, clock: Clock, { actsOfPeople }: Dialect) {
    this.#access = access;
    this.#clock = clock;
    this.#recent = `${alikeActs(actsOfPeople, "at >= @since")} ORDER BY MAX(id) DESC LIMIT @limit`;
  }

  async save(stream: StreamName, act: Pick<AuditEntry, "action" | "outcome">, by: Actor): Promise<void> {
    await this.#access.step([this.#entry(stream, act, this.#access.clean(by))], DURABLE);
  }

  async recent(query: Parameters<ActStore["recent"]>[0]): Promise<PersonAct[]> {
    const rows =
      (await this.#access.acts?.(query)) ??
      (await this.#access.read<ActRow>(this.#recent, { ...query, stream: query.stream ?? null }));
    return rows.map(({ at, stream, key, count, action, outcome, ...by }) => ({
      at,
      stream,
      key,
      count,
      action,
      outcome,
      by: actorOf(by),
    }));
  }

  async pause(streams: readonly StreamName[], { since, until, polls, by }: Pause): Promise<void> {
    const clean = this.#access.clean(by);
    const outcome = `until ${new Date(until).toISOString()}${polls ? ", polls too" : ""}`;
    const statements = streams.flatMap((stream) => [
      upsert("pauses", "stream", { stream, since, until, polls: polls ? 1 : 0, ...actorRow(clean) }),
      this.#entry(stream, { action: "pause", outcome }, clean),
    ]);
    await this.#access.step(statements, DURABLE);
  }

  async resume(streams: readonly StreamName[], now: number, by: Actor): Promise<StreamName[]> {
    const clean = this.#access.clean(by);
    const statements = streams.flatMap((stream) => {
      const paused = "stream = @stream AND until > @now";
      const values = { stream, now };
      return [
        this.#entry(stream, { action: "resume", outcome: "resumed" }, clean, {
          sql: `EXISTS (SELECT 1 FROM pauses WHERE ${paused})`,
          values,
        }),
        { sql: `DELETE FROM pauses WHERE ${paused} RETURNING stream`, values },
      ];
    });
    const ended = await this.#access.step<{ stream: StreamName }>(statements, DURABLE);
    return ended.map(({ stream }) => stream);
  }

  async pauseOf(stream: StreamName): Promise<Pause | undefined> {
    const [row] = await this.#access.read<PauseRow>("SELECT * FROM pauses WHERE stream = @stream", { stream });
    if (row === undefined) return undefined;
    const { since, until, polls } = row;
    return { since, until, polls: polls === 1, by: actorOf(row) };
  }

  #entry(stream: StreamName, act: Pick<AuditEntry, "action" | "outcome">, by: Actor, when?: Statement): Statement {
    return addAudit(this.#clock.now(), { stream, key: "" }, { ...act, resource: "", by }, when);
  }
}
