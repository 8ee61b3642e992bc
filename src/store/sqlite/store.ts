import type { Database } from "better-sqlite3";
import type { Clock, RecordId, RecordState, ResourceName, StreamName } from "#model";
import { redacted, type Logger, type Redact } from "#telemetry";
import type { RecordQuery, Store, StoreUser } from "../contract/index.ts";
import { checkedNote } from "../facts.ts";
import { storedFact, type Note } from "../note.ts";
import type { Access } from "../roles/access.ts";
import { singleProcess } from "../roles/single-process.ts";
import { makeRoles, type Roles } from "../roles/roles.ts";
import { sameSql, type SameSql } from "../roles/same-sql.ts";
import { LateWaking } from "../steps/late-waking.ts";
import { intakeRoles } from "../steps/intake-roles.ts";
import { stepRoles, type StepRoles } from "../steps/step-roles.ts";
import type { ListDriver } from "../steps/step.ts";
import { backupStore } from "./durability/backup.ts";
import { Checkpoints } from "./durability/checkpoints.ts";
import type { Disk } from "./durability/disk-sync.ts";
import { storeClosed, sqliteFailure } from "./durability/failures.ts";
import { GroupCommit } from "./durability/group-commit.ts";
import { markRestored } from "./durability/restored.ts";
import { FairTurn, nextTurn } from "./fair-turn.ts";
import { InParts, restOf } from "./in-parts.ts";
import { makeStoreDeps, type StoreDeps } from "./parts.ts";
import { readingOver, sqliteDialect, statementRunner } from "./statements.ts";
import { Rewriting } from "./durability/rewriting.ts";
import { retryNow } from "./steps/retries.ts";
import { remap } from "./steps/remapping.ts";
import { followClock } from "./steps/set-back.ts";
import { beginSweep, endSweep } from "./steps/sweeps.ts";
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
  /** The clock by which turns of the event loop are short: see {@link GroupCommit}. */
  readonly now?: () => number;
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
  readonly #driver: ListDriver;
  readonly #decided: StepRoles;
  readonly #intake: ReturnType<typeof intakeRoles>;
  /** Removes secrets before something is stored. */
  readonly #clean: <Value>(value: Value) => Value;
  readonly acts: Roles["acts"];
  readonly notices: Roles["notices"];
  readonly groups: Roles["groups"];
  readonly history: Roles["history"];
  readonly care: Roles["care"];
  readonly privacy: Store["privacy"];
  readonly watches: Roles["watches"];
  readonly returns: Roles["returns"];
  readonly rounds: Roles["rounds"];
  readonly standings: Roles["standings"];
  readonly #isReader: boolean;
  #isClosing = false;
  #isClosed = false;

  constructor({ as = "daemon", db, clock, logger, leaseMs, redact, disk, close, now }: SqliteStoreOptions) {
    this.#db = db;
    this.#isReader = as === "reader";
    this.clock = clock;
    this.#logger = logger;
    this.#close = close;
    this.#clean = (value) => redacted(value, redact);
    this.#commit = new GroupCommit(db, disk, new Checkpoints(db), () => this.#deps.moment.note(), now);
    this.#deps = makeStoreDeps(db, clock, logger);
    const run = statementRunner(db);
    const access: Access = {
      read: (sql, values) => this.#read(() => run({ sql, values: values ?? {} })),
      readOver: (...of) => this.#readInParts(readingOver(run, ...of)),
      step: (all, options) => this.#commit.run(() => all.flatMap((each) => run(each)), options),
      untilNone: ({ sql, values }) =>
        this.#parts.untilNone((limit) => run({ sql, values: { ...values, limit } }).length),
      acts: (query) => this.#readInParts(this.#deps.recentActs.finding(query)),
      clean: this.#clean,
    };
    const roles = makeRoles(access, clock, sqliteDialect);
    ({ acts: this.acts, notices: this.notices, groups: this.groups } = roles);
    ({ history: this.history, care: this.care, watches: this.watches, rounds: this.rounds } = roles);
    ({ returns: this.returns, standings: this.standings } = roles);
    this.#same = sameSql(access, clock, sqliteDialect);
    this.#parts = new InParts(this.#commit, restOf(as));
    const driver: ListDriver = {
      take: (step, options) => this.#commit.run(() => this.#deps.steps.carryOut(step), options),
      takeEach: (items, stepOf) =>
        this.#parts.ofList(items, (some, isLast) => {
          const step = stepOf(some, isLast);
          return () => this.#deps.steps.carryOut(step);
        }),
    };
    this.#driver = driver;
    this.#lateWaking = new LateWaking(driver, clock, restOf(as));
    this.#intake = intakeRoles(driver, clock, {
      different: (...of) => this.#readNow(() => this.#deps.knownRows.different(...of)),
      pause: () => this.#pause(),
    });
    this.#decided = stepRoles({ driver, clock, leaseMs, clean: this.#clean, lateWaking: this.#lateWaking });
    const rewriting = new Rewriting(db, this.#read.bind(this));
    this.privacy = {
      forget: async (...of) => {
        await this.#decided.forget(...of);
        await rewriting.run();
      },
    };
  }

  /** Reads what is committed at that moment. */
  async #read<T>(work: () => T): Promise<T> {
    await this.#pause();
    return this.#readNow(work);
  }

  async #pause(): Promise<void> {
    if (this.#turn.isLong()) await nextTurn();
  }

  #readNow<T>(work: () => T): T {
    if (this.#isClosed) throw storeClosed(this.#db.name);
    try {
      return work();
    } catch (thrown) {
      throw sqliteFailure(thrown, this.#db.name);
    }
  }

  /** Runs a long read in parts, so that other work can run in between. */
  async #readInParts<T>(parts: Iterator<undefined, T>): Promise<T> {
    let step;
    do step = await this.#read(() => parts.next());
    while (!step.done);
    return step.value;
  }

  stream: Store["stream"] = (...of) => this.#same.stream(...of);
  pollFailed: Store["pollFailed"] = (...of) => this.#same.pollFailed(...of);
  resetCursor: Store["resetCursor"] = (...of) => this.#same.resetCursor(...of);
  decideAdoption: Store["decideAdoption"] = (...of) => this.#same.decideAdoption(...of);
  reference: Store["reference"] = (...of) => this.#same.reference(...of);
  saveReference: Store["saveReference"] = (...of) => this.#same.saveReference(...of);
  boundIds: Store["boundIds"] = (...of) => this.#same.boundIds(...of);
  matchKeys: Store["matchKeys"] = (...of) => this.#same.matchKeys(...of);
  children: Store["children"] = (...of) => this.#same.children(...of);
  audit: Store["audit"] = (...of) => this.#same.audit(...of);
  prune: Store["prune"] = (...of) => this.#same.prune(...of);
  storedStreams: Store["storedStreams"] = (...of) => this.#same.storedStreams(...of);
  storedStream: Store["storedStream"] = (...of) => this.#same.storedStream(...of);
  renameStream: Store["renameStream"] = (...of) => this.#same.renameStream(...of);

  stage: Store["stage"] = (...of) => this.#intake.stage(...of);
  stageDeletions: Store["stageDeletions"] = (...of) => this.#intake.stageDeletions(...of);
  stageRead: Store["stageRead"] = (...of) => this.#intake.stageRead(...of);

  remap = (...of: Parameters<Store["remap"]>) => remap(this.#deps.remapping, this.#parts, ...of);

  due = (query: Parameters<Store["due"]>[0]) => this.#read(() => this.#deps.schedule.due(query));

  clockSetBack = (byMs: number) => followClock(this.#deps.setBack, this.#parts, byMs);
  undeliveredSince = (stream: StreamName) => this.#read(() => this.#deps.schedule.undeliveredSince(stream));
  latestMoment = () => this.#read(() => this.#deps.moment.ms);
  nextDueAt = (...of: Parameters<Store["nextDueAt"]>) => this.#readInParts(this.#deps.schedule.findingNextDueAt(...of));

  claim: Store["claim"] = (...of) => this.#decided.claim(...of);
  renew: Store["renew"] = (...of) => this.#decided.renew(...of);
  begin: Store["begin"] = (...of) => this.#decided.begin(...of);
  markInFlight: Store["markInFlight"] = (...of) => this.#decided.markInFlight(...of);
  noteCreate: Store["noteCreate"] = (...of) => this.#decided.noteCreate(...of);
  end: Store["end"] = (...of) => this.#decided.end(...of);
  announceDeletion: Store["announceDeletion"] = (...of) => this.#decided.announceDeletion(...of);
  unbind: Store["unbind"] = (...of) => this.#decided.unbind(...of);
  resolve: Store["resolve"] = (...of) => this.#decided.resolve(...of);
  recheck: Store["recheck"] = (...of) => this.#decided.recheck(...of);

  bindings = (ids: readonly RecordId[]) => this.#read(() => this.#deps.bindings.ofAll(ids));

  record = (id: RecordId) => this.#read(() => this.#deps.views.record(id));
  records = (query: RecordQuery) => this.#readInParts(this.#deps.views.finding(query));

  counts = (states?: readonly RecordState[]) => this.#readInParts(this.#deps.views.counting(states));

  retryNow(...[target, by]: Parameters<Store["retryNow"]>) {
    return retryNow(this.#deps.retries, this.#parts, target, this.#clean(by));
  }

  openDeletions = (...of: Parameters<Store["openDeletions"]>) =>
    this.#readInParts(this.#deps.deletions.findingOpen(...of));
  deletionCount = (...of: Parameters<Store["deletionCount"]>) =>
    this.#readInParts(this.#deps.deletions.counting(...of));

  boundTo = (...[binding]: Parameters<Store["boundTo"]>) => this.#read(() => this.#deps.bindings.owner(binding));

  beginSweep = (stream: StreamName) => beginSweep(this.#deps.sweeps, this.#parts, stream);
  markSeen: Store["markSeen"] = (...of) => this.#decided.markSeen(...of);
  unseenKeys = (...of: Parameters<Store["unseenKeys"]>) => this.#readInParts(this.#deps.sweeps.findingUnseen(...of));
  endSweep = (...of: Parameters<Store["endSweep"]>) => endSweep(this.#deps.sweeps, this.#parts, this.#driver, ...of);

  beginMatches = (resource: ResourceName) => beginMatches(this.#deps.matches, this.#parts, resource);
  saveMatches: Store["saveMatches"] = (...of) => this.#decided.saveMatches(...of);
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

  readonly cluster = singleProcess;

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
