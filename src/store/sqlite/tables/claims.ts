import { randomUUID } from "node:crypto";
import type { Database } from "better-sqlite3";
import type { Clock, RecordId } from "#model";
import type { Logger } from "#telemetry";
import type { Claim } from "../../claim.ts";
import { FIRST_GUARDED } from "../../lanes.ts";
import { claimLost } from "../../refusals.ts";
import { allows } from "../../transitions.ts";
import { LatestMoment } from "./latest-moment.ts";
import { SELECT_ONE, claimOf, type RecordRow } from "../../rows/record-row.ts";
import { Notes } from "./notes.ts";

/** The record of a claim that is still held. */
export interface Held {
  readonly id: number;
  readonly deleted: number;
  readonly attempts: number;
  /** 1 if something happened during the claim that makes the record due when it ends. */
  readonly again: number;
  /** 1 if it has a service id. */
  readonly bound: number;
  /** 1 if a create was begun and its result is not known. */
  readonly begun: number;
}

/** Which records are claimed: a token and a lease for each. */
export class Claims {
  readonly #clock: Clock;
  readonly #leaseMs: number;
  readonly #select;
  readonly #take;
  readonly #held;
  readonly #extend;

  constructor(db: Database, clock: Clock, leaseMs: number) {
    this.#clock = clock;
    this.#leaseMs = leaseMs;
    this.#select = db.prepare<[string, string], RecordRow>(SELECT_ONE);
    this.#take = db.prepare<[string, number, number]>(
      "UPDATE records SET state = 'claimed', token = ?, due_at = ?, again = 0 WHERE id = ?",
    );
    this.#held = db.prepare<[string, string, string], Held>(
      `SELECT id, deleted, attempts, again, EXISTS (SELECT 1 FROM bindings WHERE record = r.id) AS bound,
         EXISTS (SELECT 1 FROM intents WHERE record = r.id) AS begun
       FROM records r WHERE stream = +? AND key = +? AND token = +?`,
    );
    this.#extend = db.prepare<[number, number]>("UPDATE records SET due_at = ? WHERE id = ?");
  }

  claim(id: RecordId): Claim | undefined {
    const now = this.#clock.now();
    const record = this.#select.get(id.stream, id.key);
    if (record === undefined || record.due_at === null || record.due_at > now) return undefined;
    if (!allows(record.state, "claim") || record.backfill >= FIRST_GUARDED) return undefined;
    const token = randomUUID();
    this.#take.run(token, now + this.#leaseMs, record.id);
    return claimOf(record, token);
  }

  /** @throws {RetryError} E_CLAIM_LOST when the claim ended, by a step or because another worker took the record. */
  hold(claim: Claim): Held {
    const held = this.#held.get(claim.id.stream, claim.id.key, claim.token);
    if (held !== undefined) return held;
    throw claimLost(claim.id);
  }

  renew(claim: Claim): void {
    this.#extend.run(this.#clock.now() + this.#leaseMs, this.hold(claim).id);
  }
}

/**
 * Makes every claimed record due at its old place in the order and returns how many. Only for the single daemon, before its workers start.
 * An interrupted create is then looked for before the rest of a backfill, not after it.
 */
export function giveBackClaims(db: Database, clock: Clock, logger: Logger): number {
  // By stream, because the index begins with it. Reading the whole table would dominate the start and fill the cache for good.
  const giveBack = db.prepare<[number]>(`
    UPDATE records SET state = 'due', token = NULL, due_at = min(changed_at, ?), again = 0
    WHERE stream IN (SELECT stream FROM streams) AND state = 'claimed'`);
  const moment = new LatestMoment(new Notes(db, logger), clock);
  return db.transaction(() => {
    moment.note();
    return giveBack.run(clock.now()).changes;
  })();
}
