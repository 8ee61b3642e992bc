import type { Database } from "better-sqlite3";
import type { Clock, RecordId, RecordState, ResourceName, StreamName } from "#model";
import { redacted, type Logger, type Redact } from "#telemetry";
import type { Applied, Claim } from "../claim.ts";
import type { RecordQuery, Store, StoreUser } from "../contract/index.ts";
import { checkedNote } from "../facts.ts";
import { storedFact, type Note } from "../note.ts";
import type { Access } from "../roles/access.ts";
import { oneProcess } from "../roles/one-process.ts";
import { makeRoles, type Roles } from "../roles/roles.ts";
import { sameSql, type SameSql } from "../roles/same-sql.ts";
import { backupStore } from "./durability/backup.ts";
import { Checkpoints } from "./durability/checkpoints.ts";
import type { Disk } from "./durability/disk-sync.ts";
import { storeClosed, storeFailure } from "./durability/failures.ts";
import { GroupCommit, type StepOptions } from "./durability/group-commit.ts";
import { markRestored } from "./durability/restored.ts";
import { FairTurn, nextTurn } from "./fair-turn.ts";
import { InParts, restOf } from "./in-parts.ts";
import { makeStoreDeps, type StoreDeps } from "./parts.ts";
import { dialect, runStatement } from "./statements.ts";
import { Forgetting } from "./steps/forgetting.ts";
import { LateWaking } from "./steps/late-waking.ts";
import { retryNow } from "./steps/operator-decisions.ts";
import { remap } from "./steps/remapping.ts";
import { followClock } from "./steps/set-back.ts";
import { stage, stageDeletions, stageRead } from "./steps/staging.ts";
import { beginSweep, endSweep, markSeen } from "./steps/sweeps.ts";
import { expectUndamaged, tableCounts } from "./tables/maintenance.ts";
import { beginMatches, endMatches } from "./tables/match-index.ts";

/** For every step that opens or ends an intent, a binding or a doubt: it must survive a power cut. */
const DURABLE = { durable: true } as const;

export interface SqliteStoreOptions {
  readonly as?: StoreUser;
  readonly db: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly leaseMs: number;
  /** The disk that durable steps wait for. */
  readonly disk: Disk;
  /** Closes everything that was opened for the store. */
  readonly close: () => void;
  readonly redact: Redact;
}

/** Implements the contract: reads run at once, steps go through the group commit. */
export class SqliteStore implements Store {
  readonly #db: Database;
  readonly clock: Clock;
  readonly #logger: Logger;
  readonly #close: () => void;
  readonly #commit: GroupCommit;
  readonly #parts: InParts;
  readonly #lateWaking: LateWaking;
  readonly #turn = new FairTurn();
  readonly #deps: StoreDeps;
  readonly #same: SameSql;
  /** Removes secrets before something is stored. */
  readonly #clean: <Value>(value: Value) => Value;
  readonly acts: Roles["acts"];
  readonly notices: Roles["notices"];
  readonly groups: Roles["groups"];
  readonly history: Roles["history"];
  readonly care: Roles["care"];
  readonly privacy: Store["privacy"];
  readonly watches: Roles["watches"];
  readonly rounds: Roles["rounds"];
  readonly #isReader: boolean;
  #isClosing = false;
  #isClosed = false;

  constructor({ as = "daemon", db, clock, logger, leaseMs, redact, disk, close }: SqliteStoreOptions) {
    this.#db = db;
    this.#isReader = as === "reader";
    this.clock = clock;
    this.#logger = logger;
    this.#close = close;
    this.#clean = (value) => redacted(value, redact);
    this.#commit = new GroupCommit(db, disk, new Checkpoints(db), () => this.#deps.moment.note());
    this.#deps = makeStoreDeps(db, clock, leaseMs, logger);
    const access: Access = {
      read: (sql, values) => this.#read(() => runStatement(db, { sql, values: values ?? {} })),
      step: (all, options) => this.#commit.run(() => all.flatMap((each) => runStatement(db, each)), options),
      untilNone: (statement) => this.#parts.untilNone(() => runStatement(db, statement).length),
      acts: (query) => this.#readInParts(this.#deps.recentActs.finding(query)),
      clean: this.#clean,
    };
    const roles = makeRoles(access, clock, dialect);
    ({ acts: this.acts, notices: this.notices, groups: this.groups } = roles);
    ({ history: this.history, care: this.care, watches: this.watches, rounds: this.rounds } = roles);
    this.#same = sameSql(access, clock, dialect);
    this.#parts = new InParts(this.#commit.run.bind(this.#commit), restOf(as));
    this.#lateWaking = new LateWaking(this.#deps.family, this.#parts);
    const [read, waking] = [this.#read.bind(this), this.#waking.bind(this)];
    this.privacy = new Forgetting(db, this.#deps, { read, step: waking, clean: this.#clean });
  }

  /** Reads what is committed at that moment. */
  async #read<T>(work: () => T): Promise<T> {
    if (this.#turn.isLong()) await nextTurn();
    if (this.#isClosed) throw storeClosed(this.#db.name);
    try {
      return work();
    } catch (thrown) {
      throw storeFailure(thrown, this.#db.name);
    }
  }

  /** Runs a long read in parts, so that other work can run in between. */
  async #readInParts<T>(parts: Iterator<undefined, T>): Promise<T> {
    let step;
    do step = await this.#read(() => parts.next());
    while (!step.done);
    return step.value;
  }

  /** Runs a step that may wake very many records: it wakes the first ones itself, the others follow. */
  async #waking<T>(work: () => T, options?: StepOptions): Promise<T> {
    const done = await this.#commit.run(work, options);
    await this.#lateWaking.run();
    return done;
  }

  cursor: Store["cursor"] = (...of) => this.#same.cursor(...of);
  fingerprint: Store["fingerprint"] = (...of) => this.#same.fingerprint(...of);
  pollFailed: Store["pollFailed"] = (...of) => this.#same.pollFailed(...of);
  resetCursor: Store["resetCursor"] = (...of) => this.#same.resetCursor(...of);
  adoption: Store["adoption"] = (...of) => this.#same.adoption(...of);
  decideAdoption: Store["decideAdoption"] = (...of) => this.#same.decideAdoption(...of);
  reference: Store["reference"] = (...of) => this.#same.reference(...of);
  saveReference: Store["saveReference"] = (...of) => this.#same.saveReference(...of);
  boundIds: Store["boundIds"] = (...of) => this.#same.boundIds(...of);
  matchKeys: Store["matchKeys"] = (...of) => this.#same.matchKeys(...of);
  waitingFor: Store["waitingFor"] = (...of) => this.#same.waitingFor(...of);
  audit: Store["audit"] = (...of) => this.#same.audit(...of);
  pruneAudit: Store["pruneAudit"] = (...of) => this.#same.pruneAudit(...of);
  pruneDeletions: Store["pruneDeletions"] = (...of) => this.#same.pruneDeletions(...of);
  storedStreams: Store["storedStreams"] = (...of) => this.#same.storedStreams(...of);
  storedStream: Store["storedStream"] = (...of) => this.#same.storedStream(...of);
  renameStream: Store["renameStream"] = (...of) => this.#same.renameStream(...of);

  stage = (...of: Parameters<Store["stage"]>) => stage(this.#deps.staging, this.#parts, ...of);
  stageDeletions = (...of: Parameters<Store["stageDeletions"]>) =>
    stageDeletions(this.#deps.staging, this.#parts, ...of);
  stageRead = (...of: Parameters<Store["stageRead"]>) => stageRead(this.#deps.staging, this.#parts, ...of);

  remap = (...of: Parameters<Store["remap"]>) => remap(this.#deps.remapping, this.#parts, ...of);

  due = (query: Parameters<Store["due"]>[0]) => this.#read(() => this.#deps.schedule.due(query));

  clockSetBack = (byMs: number) => followClock(this.#deps.setBack, this.#parts, byMs);
  undeliveredSince = (stream: StreamName) => this.#read(() => this.#deps.schedule.undeliveredSince(stream));
  latestMoment = () => this.#read(() => this.#deps.moment.ms);
  nextDueAt = (...of: Parameters<Store["nextDueAt"]>) => this.#readInParts(this.#deps.schedule.findingNextDueAt(...of));

  claim = (id: RecordId) => this.#commit.run(() => this.#deps.claims.claim(id));
  renew = (claim: Claim) => this.#commit.run(() => this.#deps.claims.renew(claim));

  bindings = (ids: readonly RecordId[]) => this.#read(() => this.#deps.bindings.ofAll(ids));

  begin = (...of: Parameters<Store["begin"]>) => this.#commit.run(() => this.#deps.journal.begin(...of), DURABLE);
  markInFlight = (...of: Parameters<Store["markInFlight"]>) =>
    this.#commit.run(() => this.#deps.journal.markInFlight(...of), DURABLE);

  abandon = (claim: Claim) => this.#commit.run(() => this.#deps.journal.abandon(claim), DURABLE);
  answered = (claim: Claim) => this.#commit.run(() => this.#deps.journal.answered(claim), DURABLE);

  looked = (claim: Claim) => this.#commit.run(() => this.#deps.journal.looked(claim));

  bind = (...of: Parameters<Store["bind"]>) => this.#waking(() => this.#deps.outcomes.bind(...of), DURABLE);

  apply = (claim: Claim, applied: Applied) => this.#commit.run(() => this.#deps.outcomes.apply(claim, applied));

  retry(...[claim, error, dueAt, audit]: Parameters<Store["retry"]>) {
    return this.#commit.run(() => this.#deps.outcomes.retry(claim, this.#clean(error), dueAt, this.#clean(audit)));
  }

  wait(...[claim, waiting]: Parameters<Store["wait"]>) {
    return this.#commit.run(() => this.#deps.outcomes.wait(claim, { ...waiting, error: this.#clean(waiting.error) }));
  }

  park(...[claim, error, more]: Parameters<Store["park"]>) {
    return this.#commit.run(() => this.#deps.outcomes.park(claim, this.#clean(error), this.#clean(more)));
  }

  uncertain(...[claim, error]: Parameters<Store["uncertain"]>) {
    return this.#commit.run(() => this.#deps.outcomes.uncertain(claim, this.#clean(error)));
  }

  skip = (...of: Parameters<Store["skip"]>) => this.#waking(() => this.#deps.outcomes.skip(...of));
  remove = (...of: Parameters<Store["remove"]>) => this.#waking(() => this.#deps.outcomes.remove(...of), DURABLE);

  tellDeletion(...[claim, query]: Parameters<Store["tellDeletion"]>) {
    const { claims, deletions } = this.#deps;
    return this.#commit.run(() => deletions.tell(claims.hold(claim).id, claim.id.stream, query));
  }

  unbind = (...of: Parameters<Store["unbind"]>) => this.#commit.run(() => this.#deps.journal.unbind(...of), DURABLE);

  release = (claim: Claim) => this.#commit.run(() => this.#deps.outcomes.release(claim, this.clock.now()));

  dependents = (id: RecordId) => this.#readInParts(this.#deps.family.findingDependents(id));
  boundChildren = (id: RecordId) => this.#readInParts(this.#deps.family.findingBoundChildren(id));

  record = (id: RecordId) => this.#read(() => this.#deps.views.record(id));
  records = (query: RecordQuery) => this.#readInParts(this.#deps.views.finding(query));

  counts = (states?: readonly RecordState[]) => this.#readInParts(this.#deps.views.counting(states));

  retryNow(...[target, by]: Parameters<Store["retryNow"]>) {
    return retryNow(this.#deps.decisions, this.#parts, target, this.#clean(by));
  }

  resolve(...[id, answer, by]: Parameters<Store["resolve"]>) {
    return this.#waking(() => this.#deps.decisions.resolve(id, answer, this.#clean(by)), DURABLE);
  }

  recheck(...of: Parameters<Store["recheck"]>) {
    return this.#commit.run(() => this.#deps.rechecks.recheck(...of), DURABLE);
  }

  openDeletions = (...of: Parameters<Store["openDeletions"]>) =>
    this.#readInParts(this.#deps.deletions.findingOpen(...of));
  deletionCount = (...of: Parameters<Store["deletionCount"]>) =>
    this.#readInParts(this.#deps.deletions.counting(...of));

  boundTo = (...[binding]: Parameters<Store["boundTo"]>) => this.#read(() => this.#deps.bindings.owner(binding));

  beginSweep = (stream: StreamName) => beginSweep(this.#deps.sweeps, this.#parts, stream);
  markSeen = (...of: Parameters<Store["markSeen"]>) => markSeen(this.#deps.sweeps, this.#parts, ...of);
  unseenKeys = (...of: Parameters<Store["unseenKeys"]>) => this.#readInParts(this.#deps.sweeps.findingUnseen(...of));
  endSweep = (...of: Parameters<Store["endSweep"]>) => endSweep(this.#deps.sweeps, this.#parts, ...of);

  beginMatches = (resource: ResourceName) => beginMatches(this.#deps.matches, this.#parts, resource);
  saveMatches = (...of: Parameters<Store["saveMatches"]>) => this.#commit.run(() => this.#deps.matches.save(...of));
  unseenMatches = (...of: Parameters<Store["unseenMatches"]>) =>
    this.#readInParts(this.#deps.matches.countingUnseen(...of));
  endMatches = (...of: Parameters<Store["endMatches"]>) => endMatches(this.#deps.matches, this.#parts, ...of);
  unboundMatches = (resource: ResourceName) => this.#readInParts(this.#deps.matches.countingUnbound(resource));
  matchIndex = (resource: ResourceName) => this.#read(() => this.#deps.matches.state(resource));
  matches = (...of: Parameters<Store["matches"]>) => this.#read(() => this.#deps.matches.matches(...of));

  note<Fact>(note: Note<Fact>) {
    return this.#read(() => this.#deps.notes.note(note));
  }

  saveNote<Fact>(note: Note<Fact>, fact: Fact | undefined) {
    return this.#commit.run(() => this.#deps.notes.save(note, storedFact(note, fact, this.#clean)));
  }

  replaceNote<Fact>(note: Note<Fact>, known: Fact | undefined, next: Fact | undefined) {
    return this.#commit.run(() => this.#deps.notes.replace(note, known, storedFact(note, next, this.#clean)));
  }

  restored(creates: number) {
    return this.#commit.run(() => markRestored(this.#db, creates), DURABLE);
  }

  async backup(path: string): Promise<void> {
    await backupStore(this.#db, path);
    this.#logger.info({ path }, "backed the store up");
  }

  async check(): Promise<void> {
    if (!this.#isReader) await this.saveNote(checkedNote, this.clock.now());
    await this.#read(() => expectUndamaged(this.#db));
  }

  /** Completes what an earlier process left unfinished. */
  resume = () => this.#lateWaking.run();

  /** A process keeps its lock until it ends, so no other daemon can take over before. */
  mayWrite = () => true;
  readonly replicas = oneProcess;

  revision = () => this.#read(() => this.#deps.revision.number());
  tableCounts = () => this.#read(() => tableCounts(this.#db));

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isClosing) return;
    this.#isClosing = true;
    await this.#commit.close();
    this.#isClosed = true;
    this.#close();
    this.#logger.debug({ path: this.#db.name }, "closed the store");
  }
}
