import type { Database } from "better-sqlite3";
import { MINUTE_MS } from "#model";
import type { ActStore } from "../../contract/people/acts.ts";
import { alikeActs, type ActRow } from "../../rows/act-row.ts";
import { sqliteDialect } from "../statements.ts";
import { PART } from "./stream-parts.ts";

/** People's recent actions, read in parts: a retry of very many records wrote one entry for each. */
export class RecentActs {
  readonly #next;
  readonly #alike;

  constructor(db: Database) {
    this.#next = db
      .prepare<[number], number>(
        `SELECT at FROM ${sqliteDialect.actsOfPeople} WHERE actor IS NOT NULL AND at > ? ORDER BY at LIMIT 1 OFFSET ${PART}`,
      )
      .pluck();
    this.#alike = db.prepare<[object], ActRow>(alikeActs(sqliteDialect.actsOfPeople, "at >= @from AND at < @to"));
  }

  /** Finds actions in parts. Yields so that other work can run. */
  *finding({ since, limit, stream }: Parameters<ActStore["recent"]>[0]): Generator<undefined, ActRow[]> {
    const acts = new Map<string, ActRow>();
    for (let from: number | undefined = since; from !== undefined;) {
      const next = this.#next.get(from);
      for (const act of this.#alike.all({ from, to: next ?? Number.MAX_SAFE_INTEGER, stream: stream ?? null })) {
        const name = nameOf(act);
        acts.set(name, together(act, acts.get(name)));
      }
      yield;
      from = next;
    }
    return [...acts.values()].toSorted((one, other) => other.id - one.id).slice(0, limit);
  }
}

/** A key that is the same for equal acts. */
function nameOf({ at, id, stream, key, action, outcome, actor, via, why }: ActRow): string {
  const alone = key === "" ? id : 0;
  return JSON.stringify([stream, alone, action, outcome, actor, via, why, Math.floor(at / MINUTE_MS)]);
}

function together(one: ActRow, other: ActRow = one): ActRow {
  if (one === other) return one;
  return {
    ...one,
    at: Math.max(one.at, other.at),
    id: Math.max(one.id, other.id),
    key: one.key < other.key ? one.key : other.key,
    count: one.count + other.count,
  };
}
