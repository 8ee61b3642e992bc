import type { Database } from "better-sqlite3";
import type { Clock, Key, RecordId, StreamName } from "#model";
import type { Logger } from "#telemetry";
import type { Applied, Claim, Store } from "../contract.ts";
import { Answers } from "./answers.ts";
import { backupStore } from "./backup.ts";
import type { DaemonLock } from "./daemon-lock.ts";
import { storeClosed, storeFailure } from "./failures.ts";
import { GroupCommit } from "./group-commit.ts";
import { expectUndamaged } from "./integrity.ts";
import { Journal } from "./journal.ts";
import { MatchIndex } from "./match-index.ts";
import { Outcomes } from "./outcomes.ts";
import { makeParts, type Parts } from "./parts.ts";
import { Rechecks } from "./rechecks.ts";
import { ReferenceData } from "./reference-data.ts";
import { Remapping } from "./remapping.ts";
import { Schedule } from "./schedule.ts";
import { Staging, latestOfEach } from "./staging.ts";
import { Streams } from "./streams.ts";
import { Sweeps } from "./sweeps.ts";
import { Views, type RecordQuery } from "./views.ts";

/** Everything that ends or opens a journal entry outlives a power cut. */
const DURABLE = { durable: true } as const;

export interface SqliteStoreOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly leaseMs: number;
  readonly lock: DaemonLock | undefined;
}

/** The contract, method by method: reads are answered at once, steps go through the group commit. */
export class SqliteStore implements Store {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #lock: DaemonLock | undefined;
  readonly #commit: GroupCommit;
  readonly #parts: Parts;
  readonly #streams: Streams;
  readonly #staging: Staging;
  readonly #remapping: Remapping;
  readonly #schedule: Schedule;
  readonly #journal: Journal;
  readonly #outcomes: Outcomes;
  readonly #answers: Answers;
  readonly #rechecks: Rechecks;
  readonly #views: Views;
  readonly #sweeps: Sweeps;
  readonly #reference: ReferenceData;
  readonly #matches: MatchIndex;

  constructor({ db, clock, logger, leaseMs, lock }: SqliteStoreOptions) {
    this.#db = db;
    this.#clock = clock;
    this.#logger = logger;
    this.#lock = lock;
    this.#commit = new GroupCommit(db);
    this.#parts = makeParts(db, clock, leaseMs);
    this.#streams = new Streams(db, clock);
    this.#staging = new Staging(db, clock, this.#streams);
    this.#remapping = new Remapping(db, clock, this.#streams);
    this.#schedule = new Schedule(db, clock);
    this.#journal = new Journal(this.#parts);
    this.#outcomes = new Outcomes(this.#parts);
    this.#answers = new Answers(db, clock, this.#parts);
    this.#rechecks = new Rechecks(db, clock, this.#parts.written);
    this.#views = new Views(db, this.#parts.family, this.#streams);
    this.#sweeps = new Sweeps(db);
    this.#reference = new ReferenceData(db, clock);
    this.#matches = new MatchIndex(db);
  }

  /** A read of what is committed. */
  async #read<T>(work: () => T): Promise<T> {
    try {
      return work();
    } catch (thrown) {
      throw this.#db.open ? storeFailure(thrown, this.#db.name) : storeClosed(this.#db.name);
    }
  }

  // ── polling ─────────────────────────────────────────────────────────────────────────────────────────────────────

  cursor(stream: StreamName) {
    return this.#read(() => this.#streams.cursor(stream));
  }

  async stage(stream: StreamName, batch: Parameters<Store["stage"]>[1]) {
    const { changes, cursor, backfill, complete } = batch;
    const latest = latestOfEach(changes);
    const rows = changes.length;
    return this.#commit.run(() => this.#staging.stage(stream, latest, { rows, cursor, backfill, complete }));
  }

  pollFailed(...[stream, error]: Parameters<Store["pollFailed"]>) {
    return this.#commit.run(() => this.#streams.pollFailed(stream, error));
  }

  resetCursor(stream: StreamName) {
    return this.#commit.run(() => this.#streams.resetCursor(stream));
  }

  remap(stream: StreamName, fingerprint: string) {
    return this.#commit.run(() => this.#remapping.remap(stream, fingerprint));
  }

  // ── delivery ────────────────────────────────────────────────────────────────────────────────────────────────────

  due(query: Parameters<Store["due"]>[0]) {
    return this.#read(() => this.#schedule.due(query));
  }

  nextDueAt(streams: readonly StreamName[]) {
    return this.#read(() => this.#schedule.nextDueAt(streams));
  }

  claim(id: RecordId) {
    return this.#commit.run(() => this.#parts.claims.claim(id));
  }

  renew(claim: Claim) {
    return this.#commit.run(() => this.#parts.claims.renew(claim));
  }

  bindings(ids: readonly RecordId[]) {
    return this.#read(() => this.#parts.bindings.ofAll(ids));
  }

  begin(...[claim, intent]: Parameters<Store["begin"]>) {
    return this.#commit.run(() => this.#journal.begin(claim, intent), DURABLE);
  }

  doubt(...[claim, doubts]: Parameters<Store["doubt"]>) {
    return this.#commit.run(() => this.#journal.doubt(claim, doubts), DURABLE);
  }

  abandon(claim: Claim) {
    return this.#commit.run(() => this.#journal.abandon(claim), DURABLE);
  }

  looked(claim: Claim) {
    return this.#commit.run(() => this.#journal.looked(claim));
  }

  bind(...[claim, binding, applied]: Parameters<Store["bind"]>) {
    return this.#commit.run(() => this.#outcomes.bind(claim, binding, applied), DURABLE);
  }

  apply(claim: Claim, applied: Applied) {
    return this.#commit.run(() => this.#outcomes.apply(claim, applied));
  }

  retry(...[claim, error, dueAt]: Parameters<Store["retry"]>) {
    return this.#commit.run(() => this.#outcomes.retry(claim, error, dueAt));
  }

  wait(...[claim, waiting]: Parameters<Store["wait"]>) {
    return this.#commit.run(() => this.#outcomes.wait(claim, waiting));
  }

  park(...[claim, error, audit]: Parameters<Store["park"]>) {
    return this.#commit.run(() => this.#outcomes.park(claim, error, audit));
  }

  uncertain(...[claim, error]: Parameters<Store["uncertain"]>) {
    return this.#commit.run(() => this.#outcomes.uncertain(claim, error));
  }

  skip(claim: Claim, reason: string) {
    return this.#commit.run(() => this.#outcomes.skip(claim, reason));
  }

  remove(...[claim, removal]: Parameters<Store["remove"]>) {
    return this.#commit.run(() => this.#outcomes.remove(claim, removal), DURABLE);
  }

  unbind(...[claim, audit]: Parameters<Store["unbind"]>) {
    return this.#commit.run(() => this.#journal.unbind(claim, audit), DURABLE);
  }

  release(claim: Claim) {
    return this.#commit.run(() => this.#outcomes.release(claim, this.#clock.now()));
  }

  boundChildren(id: RecordId) {
    return this.#read(() => this.#parts.family.boundChildren(id));
  }

  // ── people ──────────────────────────────────────────────────────────────────────────────────────────────────────

  record(id: RecordId) {
    return this.#read(() => this.#views.record(id));
  }

  records(query: RecordQuery) {
    return this.#read(() => this.#views.records(query));
  }

  counts() {
    return this.#read(() => this.#views.counts());
  }

  audit(query: Parameters<Store["audit"]>[0]) {
    return this.#read(() => this.#parts.audit.latest(query));
  }

  pruneAudit(before: number) {
    return this.#commit.run(() => this.#parts.audit.prune(before));
  }

  retryNow(target: Parameters<Store["retryNow"]>[0]) {
    return this.#commit.run(() => this.#answers.retryNow(target));
  }

  resolve(...[id, answer]: Parameters<Store["resolve"]>) {
    return this.#commit.run(() => this.#answers.resolve(id, answer), DURABLE);
  }

  recheck(...[id, doubts]: Parameters<Store["recheck"]>) {
    return this.#commit.run(() => this.#rechecks.recheck(id, doubts), DURABLE);
  }

  boundTo(...[binding]: Parameters<Store["boundTo"]>) {
    return this.#read(() => this.#parts.bindings.owner(binding));
  }

  // ── sweeps ──────────────────────────────────────────────────────────────────────────────────────────────────────

  beginSweep(stream: StreamName) {
    return this.#commit.run(() => this.#sweeps.begin(stream));
  }

  markSeen(stream: StreamName, sweep: number, keys: readonly Key[]) {
    return this.#commit.run(() => this.#sweeps.markSeen(stream, sweep, keys));
  }

  endSweep(stream: StreamName, sweep: number) {
    return this.#commit.run(() => this.#sweeps.end(stream, sweep));
  }

  // ── the service's reference data and the match index ────────────────────────────────────────────────────────────

  reference(...[resource]: Parameters<Store["reference"]>) {
    return this.#read(() => this.#reference.reference(resource));
  }

  saveReference(...[resource, entries]: Parameters<Store["saveReference"]>) {
    return this.#commit.run(() => this.#reference.saveReference(resource, entries));
  }

  adoption(stream: StreamName) {
    return this.#read(() => this.#streams.adoption(stream));
  }

  decideAdoption(...[stream, decision]: Parameters<Store["decideAdoption"]>) {
    return this.#commit.run(() => this.#streams.decideAdoption(stream, decision));
  }

  saveMatches(...[resource, batch]: Parameters<Store["saveMatches"]>) {
    return this.#commit.run(() => this.#matches.save(resource, batch));
  }

  matchIndex(...[resource]: Parameters<Store["matchIndex"]>) {
    return this.#read(() => this.#matches.state(resource));
  }

  matches(...[resource, rule, key]: Parameters<Store["matches"]>) {
    return this.#read(() => this.#matches.matches(resource, rule, key));
  }

  // ── housekeeping ────────────────────────────────────────────────────────────────────────────────────────────────

  note(name: string) {
    return this.#read(() => this.#reference.note(name));
  }

  saveNote(...[name, value]: Parameters<Store["saveNote"]>) {
    return this.#commit.run(() => this.#reference.saveNote(name, value));
  }

  async backup(path: string): Promise<void> {
    await backupStore(this.#db, path);
    this.#logger.info({ path }, "backed the store up");
  }

  async check(): Promise<void> {
    await this.saveNote("store.checkedAt", this.#clock.now());
    await this.#read(() => expectUndamaged(this.#db));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#db.open) return;
    this.#commit.close();
    this.#db.close();
    this.#lock?.[Symbol.dispose]();
    this.#logger.debug({ path: this.#db.name }, "closed the store");
  }
}
