import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { errorFacts, sleep, StopError } from "#model";
import type { Logger } from "#telemetry";
import type { Standby } from "../../contract/index.ts";
import { fill, type SqlText } from "../sql.ts";
import { storeFailure } from "./failures.ts";
import { Link, type PostgresPlace } from "./link.ts";
import { locked, unlocked } from "./prefix.ts";

/** A daemon that was not heard of for this long, by the clock of the database, may be replaced. */
const SILENCE_MS = 8_000;
const BEAT_MS = 2_000;
/** A renewal is believed for this long from the moment it was sent: what is sent to the service then arrives before a takeover. */
const TRUST_MS = 6_000;
const LOOK_MS = 250;

const until = `clock_timestamp() + interval '${SILENCE_MS} ms'`;
const TAKE = `
  INSERT INTO leases AS l (role, holder, name, expires_at) VALUES ('daemon', @holder, @name, ${until})
  ON CONFLICT (role) DO UPDATE SET holder = excluded.holder, name = excluded.name, expires_at = excluded.expires_at
  WHERE l.expires_at <= clock_timestamp() RETURNING holder`;
const FOUND = "SELECT holder, name, expires_at::text AS until FROM leases WHERE role = 'daemon'";
const RENEW = `UPDATE leases SET expires_at = ${until} WHERE role = 'daemon' AND holder = @holder RETURNING holder`;
const RESIGN = "DELETE FROM leases WHERE role = 'daemon' AND holder = @holder";

interface Holder {
  readonly holder: string;
  readonly name: string;
  readonly until: string;
}

/**
 * The right to be the only daemon of a store: a row with a random token that every step of the daemon compares. It is renewed on a
 * connection of its own. A daemon that was paused or cut off for so long that another one took over finds its token replaced.
 */
export class Lease implements AsyncDisposable {
  readonly #token = randomUUID();
  readonly #place: PostgresPlace;
  readonly #link: Link;
  readonly #logger: Logger;
  readonly #ended = new AbortController();
  #beats: Promise<void> | undefined;
  /** Until when this is certainly the only daemon, by the monotonic clock and by the wall clock, which also runs while a machine sleeps. */
  #trusted = { monotonic: 0, wall: 0 };

  private constructor(place: PostgresPlace, logger: Logger) {
    this.#place = place;
    this.#logger = logger;
    this.#link = new Link(place, unlocked(place), { max: 1, answerMs: BEAT_MS });
  }

  /**
   * Waits for the end of a dead daemon's lease; with `standby` also for that of a live one.
   * @throws {StopError} E_STORE_BUSY when another daemon renews it, with that daemon named.
   */
  static async take(place: PostgresPlace, logger: Logger, standby?: Standby): Promise<Lease> {
    const lease = new Lease(place, logger);
    try {
      await lease.#take(standby);
      return lease;
    } catch (thrown) {
      await lease.#link[Symbol.asyncDispose]();
      throw storeFailure(thrown);
    }
  }

  /** The statement that refuses what follows it unless this is still the daemon. */
  get check(): SqlText {
    return fill("SELECT expect_daemon(@token)", { token: this.#token });
  }

  /** True while no other daemon can have the lease. */
  get isTrusted(): boolean {
    return performance.now() < this.#trusted.monotonic && Date.now() < this.#trusted.wall;
  }

  /** Keeps the lease. `lost` is told when another daemon has it. */
  keep(lost: () => void): void {
    this.#beats = this.#beat(lost);
  }

  /** Gives the lease back. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended.abort();
    await this.#beats;
    await this.#link.send([fill(RESIGN, { holder: this.#token })]).catch(() => undefined);
    await this.#link[Symbol.asyncDispose]();
  }

  async #take(standby: Standby | undefined): Promise<void> {
    // Under the lock of the store: no step of the one before is under way when the lease passes on.
    await using link = new Link(this.#place, locked(this.#place), { max: 1 });
    const name = `process ${process.pid} on ${hostname()}`;
    const take = fill(TAKE, { holder: this.#token, name });
    let first: Holder | undefined;
    let waiting: AsyncDisposable | undefined;
    await using _waiting = { [Symbol.asyncDispose]: async () => waiting?.[Symbol.asyncDispose]() };
    while (!(await this.#confirmed(() => link.rows(take)))) {
      const [found] = await this.#link.rows<Holder>(FOUND);
      first ??= found;
      if (found && (found.holder !== first?.holder || found.until !== first.until)) {
        if (standby === undefined) throw this.#busy(found);
        waiting ??= await standby.waits(found.name);
      }
      await sleep(LOOK_MS, standby?.signal);
      standby?.signal.throwIfAborted();
    }
  }

  /** Takes or renews the lease; false when another one has it. */
  async #confirmed(ask: () => Promise<unknown[]>): Promise<boolean> {
    const [monotonic, wall] = [performance.now() + TRUST_MS, Date.now() + TRUST_MS];
    if ((await ask()).length === 0) return false;
    this.#trusted = { monotonic, wall };
    return true;
  }

  #busy({ name }: Holder): StopError {
    const message = `the store in the schema ${this.#place.schema} is in use by ${name}; only one daemon may run on it`;
    return new StopError("E_STORE_BUSY", message, { details: { schema: this.#place.schema, holder: name } });
  }

  async #beat(lost: () => void): Promise<void> {
    const { signal } = this.#ended;
    let isSilent = false;
    while (!signal.aborted) {
      try {
        if (!(await this.#confirmed(() => this.#link.rows(fill(RENEW, { holder: this.#token }))))) return lost();
        isSilent = false;
      } catch (thrown) {
        if (!isSilent) this.#logger.warn({ err: errorFacts(thrown) }, "lease of the store could not be renewed");
        isSilent = true;
      }
      await sleep(BEAT_MS, signal);
    }
  }
}
