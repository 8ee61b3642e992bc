import type { Clock, SyncError } from "#model";
import type { Logger } from "#telemetry";
import type { Cluster } from "../../contract/cluster.ts";
import type { OpenStoreOptions } from "../../contract/index.ts";
import { stepRoles, type StepRoles } from "../../steps/step-roles.ts";
import type { Link, PostgresPlace } from "../connection/link.ts";
import type { Database } from "../database.ts";
import type { SqlText } from "../sql.ts";
import { postgresCluster } from "./cluster.ts";
import { CLOCKS_DIFFER_MS, ClusterClock } from "./cluster-clock.ts";
import type { Committed } from "./known-commits.ts";
import type { Left, Member } from "./member.ts";
import { OpenRequests, type InDoubtDeps } from "./open-requests.ts";
import { expectPrepared, joinPrepared, prepareSchema } from "./turn.ts";

export type MembershipOptions = OpenStoreOptions & { readonly clock: Clock; readonly logger: Logger };

/** What is needed to keep a place, and when it is lost. */
export interface MembershipDeps extends InDoubtDeps {
  /** The connection for steps. */
  readonly link: Link;
  /** Refuses every read and every step from now on. */
  readonly refuse: (reason: SyncError) => void;
}

/** How this process takes part in a store. A daemon has a place in the cluster; a command has none and only reads and answers. */
export class Membership {
  readonly #member: Member | undefined;
  readonly #requests = new OpenRequests(() => this.#member?.commits.steps ?? 0);
  readonly #failure = Promise.withResolvers<SyncError>();
  #reported: Promise<void> | undefined;

  private constructor(member: Member | undefined) {
    this.#member = member;
  }

  /** Creates or migrates the store, except for a reader, and joins the cluster as a daemon. */
  static async enter(place: PostgresPlace, options: MembershipOptions): Promise<Membership> {
    if (options.as === "daemon") return new Membership(await joinPrepared(place, options));
    await (options.as === "reader" ? expectPrepared(place) : prepareSchema(place, options.logger, options.standby));
    return new Membership(undefined);
  }

  get isDaemon(): boolean {
    return this.#member !== undefined;
  }

  /** Refuses the statements after it if this process may no longer change the store. */
  get check(): SqlText {
    return this.#member?.check ?? "SELECT expect_in_charge()";
  }

  /** The database's clock if several processes may use it, whatever this machine's clock says. Otherwise the machine's own. */
  async clock(link: Link, own: Clock): Promise<Clock> {
    return this.#member?.clock ?? commonClock(link, own);
  }

  /** Notes what the store reports about committed steps. */
  noteCommits(commits: Partial<Committed> | undefined): void {
    this.#member?.commits.note(commits);
  }

  /** The steps that all stores decide in the same way, with this process's claims. */
  steps(db: Database): StepRoles {
    const { clock, clean, leaseMs, lateWaking } = db;
    const { epoch = 0, mapping } = this.#member ?? {};
    const member = { epoch, mapping, clocksDifferMs: CLOCKS_DIFFER_MS };
    const roles = stepRoles({ driver: db, clock, leaseMs, clean, lateWaking, member });
    const begin: StepRoles["begin"] = async (...of) => {
      const creates = await roles.begin(...of);
      this.noteCommits({ creates });
      return creates;
    };
    return { ...roles, ...this.#requests.watching({ ...roles, begin }) };
  }

  /** What the other parts of the program see of the cluster. */
  cluster(db: Database): Cluster {
    return postgresCluster(db, this.#member, this.#failure.promise);
  }

  /** Keeps the place until it is lost or given up. Reports what this process may have sent after it was lost. */
  keep({ link, refuse, ...deps }: MembershipDeps): void {
    const { resolve: fail } = this.#failure;
    this.#report = (keptSteps) => (this.#reported ??= this.#requests.reportInDoubt(link, { ...deps, keptSteps }));
    const lost = (reason: SyncError, keptSteps?: number) => {
      refuse(reason);
      void this.#report(keptSteps);
      fail(reason);
    };
    this.#member?.keep({ losing: refuse, lost, failed: fail });
  }

  #report: (keptSteps: number | undefined) => Promise<void> = () => Promise.resolve();

  /** Gives up the place. Resolves when the store knows of all requests that may have been sent late, if it can be told. */
  async leave(): Promise<void> {
    const left = await this.#member?.leave();
    if (left && this.#lacks(left)) await this.#report(left.kept);
  }

  #lacks({ was_there, kept }: Left): boolean {
    return !was_there || kept < (this.#member?.commits.steps ?? 0);
  }
}

/** The database's clock if the daemons of the store use it. Otherwise the machine's own. */
async function commonClock(link: Link, own: Clock): Promise<Clock> {
  const askedAt = performance.now();
  const [member] = await link.rows<{ at: number }>(
    "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS at FROM members WHERE queue IS NOT NULL LIMIT 1",
  );
  if (member === undefined) return own;
  const clock = new ClusterClock(own);
  clock.correct(member.at, performance.now() - askedAt);
  return clock;
}
