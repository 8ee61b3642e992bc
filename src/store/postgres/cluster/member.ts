import { randomUUID } from "node:crypto";
import { Bell, errorFacts, StopError, SyncError, type Clock, type ErrorCode } from "#model";
import type { Logger } from "#telemetry";
import type { JoiningMember, ClusterReport, ClusterState, Standby } from "../../contract/index.ts";
import { call, type SqlText } from "../sql.ts";
import { lostPlace, postgresFailure } from "../connection/failures.ts";
import { NOTHING_TO_TELL, stateOf, UNKNOWN_STATE, type Beat } from "./heartbeat.ts";
import { isChanger, processName, untilFree, type InTheWay, type Obstacle } from "./in-the-way.ts";
import { KnownCommits } from "./known-commits.ts";
import { Link, type PostgresPlace } from "../connection/link.ts";
import { listening, locked } from "../connection/prefix.ts";
import { ClusterClock } from "./cluster-clock.ts";

/** Time between heartbeats, in milliseconds. Another replica leads within a second of a clean stop, even if the notice is lost. */
const BEAT_MS = 500;
/**
 * How long a heartbeat counts from the moment it was sent, in milliseconds: requests sent within it reach the service before a takeover.
 */
export const TRUST_MS = 6_000;
/** How long to wait for the answer to a heartbeat, in milliseconds: then there is still time for another one. */
const ANSWER_MS = 2_000;

const IGNORED = () => undefined;

interface Entry extends InTheWay {
  readonly verdict: "joined" | "alone" | "queue";
  readonly epoch: number;
  readonly given_back: number;
}

export interface Left {
  /** False if the place was lost before. */
  readonly was_there: boolean;
  /** How many of the steps that this process knows of the store still has. */
  readonly kept: number;
}

/**
 * A daemon's place among the replicas of a store: a row with a random token, which every step compares, and an epoch, which its claims
 * carry. A heartbeat on its own connection renews the place and reads the state of the replicas. A notice of a change triggers the next
 * heartbeat early. A daemon that was paused or cut off for too long has lost its place, and its claims were given back.
 */
export class Member implements AsyncDisposable {
  /** The common time of all replicas; the machine's time for a daemon that works alone. */
  readonly clock: ClusterClock;
  /** Stays empty for a move, which replaces the tables that hold the counts. */
  readonly commits = new KnownCommits();
  readonly #token = randomUUID();
  readonly #place: PostgresPlace;
  readonly #joins: JoiningMember | undefined;
  readonly #logger: Logger;
  readonly #isMover: boolean;
  /** Heartbeats have their own connection, so they never wait for a step. */
  readonly #beats: Link;
  readonly #hurry = new Bell();
  readonly #ended = new AbortController();
  #running: Promise<void> | undefined;
  /** Whether this daemon may lead: no longer once it has `resigned`. Other replicas may lead once it is `over`. */
  #lead: "wanted" | "resigned" | "over" = "wanted";
  #epoch = 0;
  #report = () => NOTHING_TO_TELL;
  #changed: (state: ClusterState) => void = () => undefined;
  #state: ClusterState = UNKNOWN_STATE;
  /** Until when this is certainly a replica, by the monotonic clock and by the wall clock, which also runs while the machine sleeps. */
  #trusted = { monotonic: 0, wall: 0 };

  private constructor(place: PostgresPlace, deps: MemberDeps) {
    this.#place = place;
    this.#joins = deps.joins;
    this.#isMover = deps.isMover === true;
    this.clock = new ClusterClock(deps.clock);
    this.#logger = deps.logger;
    const heard = (schema: string | undefined) => {
      if (schema === place.schema) this.#hurry.ring();
    };
    this.#beats = new Link(place, listening(place), { max: 1, answerMs: ANSWER_MS, heard });
  }

  /**
   * Joins the replicas of the store. A daemon that works alone first waits until dead daemons expire and, with `standby`, until live ones
   * end. Replicas wait in the same way while a daemon works alone.
   * @throws {StopError} E_STORE_BUSY, with its name, when a live daemon is in the way; E_REPLICA_QUEUE when the others use another queue.
   */
  static async join(place: PostgresPlace, deps: MemberDeps): Promise<Member> {
    const member = new Member(place, deps);
    try {
      await member.#enter(deps.standby);
      await member.#beat();
      return member;
    } catch (thrown) {
      await member.#beats[Symbol.asyncDispose]();
      throw postgresFailure(thrown);
    }
  }

  get state(): ClusterState {
    return this.#state;
  }

  /** The first part of its claims' tokens; 0 until it has joined. */
  get epoch(): number {
    return this.#epoch;
  }

  /** The digest of its mapping; undefined if it works alone. */
  get mapping(): string | undefined {
    return this.#joins?.mapping;
  }

  get token(): string {
    return this.#token;
  }

  /** Refuses the statements after it unless this is still a replica and the store still has everything that it confirmed. */
  get check(): SqlText {
    return call("expect_member", this.#token, ...this.commits.values);
  }

  /** True while no other daemon can have taken over its work. */
  get isTrusted(): boolean {
    return performance.now() < this.#trusted.monotonic && Date.now() < this.#trusted.wall;
  }

  follow(report: () => ClusterReport, changed: (state: ClusterState) => void): void {
    this.#report = report;
    this.#changed = changed;
    changed(this.#state);
    // Get a share now, instead of with the next heartbeat.
    this.#hurry.ring();
  }

  reportNow(): void {
    this.#hurry.ring();
  }

  /** Keeps the place until it is lost or given up. */
  keep(ends: Partial<PlaceEnds> = {}): void {
    this.#running = this.#run({ losing: IGNORED, lost: IGNORED, failed: IGNORED, ...ends });
  }

  /**
   * Gives up the lead: for this process at once, for the others when `ended` resolves to true. If the store cannot be told, the lead is
   * free when the place ends.
   */
  async resign(ended: Promise<boolean>): Promise<void> {
    this.#lead = "resigned";
    this.#become({ ...this.#state, isLeader: false });
    if (!(await ended)) return;
    this.#lead = "over";
    await this.#giveUpLead().catch(() => undefined);
  }

  /** Gives up the place and the lead, which another replica takes at once. Undefined when the store cannot be told. */
  async leave(): Promise<Left | undefined> {
    this.#ended.abort();
    await this.#running;
    const [left] = await this.#giveBack().catch(() => []);
    await this.#beats[Symbol.asyncDispose]();
    return left;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.leave();
  }

  /** If the store has lost creates, this also ends the other replicas and marks the store as restored. */
  #giveBack(): Promise<Left[]> {
    return this.#inTurn(call("leave_replicas", this.#token, ...this.commits.values, this.clock.now()));
  }

  /** Runs the statement under the store's lock, between the steps of all replicas: everything that joins, leads or leaves does. */
  async #inTurn<Row>(statement: SqlText): Promise<Row[]> {
    await using link = new Link(this.#place, locked(this.#place), { max: 1 });
    return await link.rows<Row>(statement);
  }

  async #enter(standby: Standby | undefined): Promise<void> {
    const { version = "", queue, mapping } = this.#joins ?? {};
    const alone = this.#joins === undefined ? "alone" : "holderAlone";
    const ask = async (): Promise<Obstacle | undefined> => {
      const join = call("join_replicas", this.#token, processName(), version, queue, mapping, this.clock.now());
      const [entry] = await this.#inTurn<Entry>(join);
      if (entry === undefined) return undefined;
      if (entry.verdict === "alone") return { ...entry, why: isChanger(entry) ? "tablesChange" : alone };
      if (entry.verdict === "queue") throw otherQueue(this.#place, entry.name);
      this.#epoch = entry.epoch;
      this.#sayGivenBack(entry.given_back);
      return undefined;
    };
    await untilFree(this.#place, ask, standby);
  }

  async #run({ losing, lost, failed }: PlaceEnds): Promise<void> {
    const { signal } = this.#ended;
    let said: ErrorCode | undefined;
    while (!signal.aborted) {
      try {
        const end = await this.#confirm(losing);
        if (end !== undefined) return lost(end.reason, end.keptSteps);
        said = undefined;
      } catch (thrown) {
        const error = errorFacts(thrown);
        if (said !== error.code) this.#logger.warn({ err: error }, "place among the replicas could not be confirmed");
        said = error.code;
        if (!this.isTrusted) {
          this.#become({ ...this.#state, unconfirmed: error });
          if (thrown instanceof StopError) return failed(thrown);
        }
      }
      await this.#hurry.wait(BEAT_MS, signal);
    }
  }

  /** The reason why the place is gone; undefined while it is not. */
  async #confirm(
    losing: PlaceEnds["losing"],
  ): Promise<{ reason: SyncError; keptSteps?: number | undefined } | undefined> {
    try {
      const beat = await this.#beat();
      if (beat === undefined) return { reason: lostPlace() };
      if (this.#lead === "over" && beat.isLeader) await this.#giveUpLead();
      if (this.#lead === "wanted" && (!beat.hasLeader || (beat.isLeader && beat.lost > 0))) await this.#takeLead();
      return undefined;
    } catch (thrown) {
      if (!(thrown instanceof SyncError) || thrown.code !== "E_STORE_REWOUND") throw thrown;
      this.#trusted = { monotonic: 0, wall: 0 };
      losing(thrown);
      const [left] = await this.#giveBack();
      return { reason: thrown, keptSteps: left?.kept };
    }
  }

  async #beat(): Promise<Beat | undefined> {
    const { held, isServed, ceiling, pausedMs, rate: ownRate } = this.#report();
    const [monotonic, wall] = [performance.now(), Date.now()];
    const report = [this.#token, held, isServed, ceiling, pausedMs, ownRate, ...this.commits.values];
    const [beat] = await this.#beats.rows<Beat>(call("beat", ...report));
    if (beat === undefined) return undefined;
    if (!this.#isMover) this.commits.note(beat);
    if (beat.isConfirmed) this.#trusted = { monotonic: monotonic + TRUST_MS, wall: wall + TRUST_MS };
    if (this.#joins !== undefined) this.clock.correct(beat.at, performance.now() - monotonic);
    this.#become(stateOf(beat, { isShared: this.#joins !== undefined, mayLead: this.#lead === "wanted" }));
    return beat;
  }

  #become(state: ClusterState): void {
    this.#state = state;
    this.#changed(state);
  }

  /** Takes the lead if it is free, and removes lost replicas. */
  async #takeLead(): Promise<void> {
    const [taken] = await this.#inTurn<{ is_leader: boolean; given_back: number }>(
      call("take_lead", this.#token, this.clock.now()),
    );
    this.#sayGivenBack(taken?.given_back ?? 0);
    if (taken?.is_leader && !this.#state.isLeader) {
      this.#logger.info({}, "took the lead of the replicas");
      await this.#beat();
    }
  }

  async #giveUpLead(): Promise<void> {
    await this.#beats.rows(call("resign", this.#token));
  }

  #sayGivenBack(count: number): void {
    if (count > 0) this.#logger.info({ count }, "gave back the claims of a daemon that had died");
  }
}

/** What is told when the place ends without being given up. */
interface PlaceEnds {
  /** The store has lost commits, so the place is about to be given back: no step may begin, and those in flight may find the place gone. */
  readonly losing: (reason: SyncError) => void;
  /** The place is gone; after lost commits also says how many of the known steps are left. */
  readonly lost: (reason: SyncError, keptSteps?: number) => void;
  /** Only a restart can help. */
  readonly failed: (reason: SyncError) => void;
}

export interface MemberDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  /** What it tells the other replicas. Absent: it works alone. */
  readonly joins?: JoiningMember;
  readonly standby?: Standby;
  /** Whether it joins only to move the store. */
  readonly isMover?: boolean;
}

function otherQueue({ schema }: PostgresPlace, name: string): StopError {
  return new StopError(
    "E_REPLICA_QUEUE",
    `${name} works on the store in the schema ${schema} with another queue; give all replicas the same QUEUE_URL`,
    { details: { schema, replica: name } },
  );
}
