import { ParkError, sleep } from "#model";
import type { Cluster, ClusterMember } from "../../contract/cluster.ts";
import { auditRow } from "../../rows/audit-row.ts";
import { reserveNames } from "../../steps/reservation.ts";
import { Refusal } from "../connection/failures.ts";
import { UNKNOWN_STATE } from "./heartbeat.ts";
import { TRUST_MS, type Member } from "./member.ts";
import { SILENCE_MS } from "./member-functions.ts";
import type { Database } from "../database.ts";
import { call, fill } from "../sql.ts";

/** Time between two checks whether another process has finished a task that only one may run, in milliseconds. */
const LOOK_MS = 250;

const LIST = `
  SELECT m.name, m.version, (extract(epoch FROM m.since) * 1000)::bigint AS "startedAt",
    (extract(epoch FROM m.expires_at) * 1000)::bigint - ${SILENCE_MS} AS "seenAt", coalesce(l.holder = m.token, false) AS "isLeader",
    coalesce(l.mapping = m.mapping, m.mapping IS NULL) AS "isAgreed", m.is_served = 1 AS "isServed",
    EXISTS (SELECT 1 FROM needed() n WHERE n.token = m.token) AS "isNeeded",
    CASE WHEN m.queue IS NOT NULL THEN m.share END AS share
  FROM members m LEFT JOIN leases l ON l.role = 'daemon' ORDER BY m.epoch`;

/** The replicas that share a store, as this process sees them. A command is not a replica: it only reads and answers. */
export function postgresCluster(db: Database, member: Member | undefined, failure: Cluster["failure"]): Cluster {
  const turns = new Map<string, Promise<unknown>>();
  const step = async <Row>(...of: Parameters<typeof call>): Promise<Row[]> => {
    const [result] = await db.step([call(...of)]);
    return result?.rows ?? [];
  };
  return {
    get state() {
      return member?.state ?? UNKNOWN_STATE;
    },
    failure,
    mayWrite: () => member?.isTrusted ?? true,
    follow: (...of) => member?.follow(...of),
    reportNow: () => member?.reportNow(),
    async lead() {
      const begun = `
        UPDATE leases l SET mapping = m.mapping FROM members m
        WHERE l.role = 'daemon' AND l.holder = @token AND m.token = l.holder`;
      await db.step([fill(begun, { token: member?.token }), call("tell_replicas")]);
    },
    resign: async (ended) => void (await (member?.resign(ended) ?? ended)),
    async reserve(claim, [name, ...others]) {
      if (member?.mapping === undefined || name === undefined) return undefined;
      return await db.take(reserveNames(claim, [name, ...others]));
    },
    async alone(name, signal, work) {
      const token = member?.token;
      if (token === undefined) return work();
      const before = turns.get(name) ?? Promise.resolve();
      const turn = before.then(() => run(name, token, signal, work));
      turns.set(
        name,
        turn.catch(() => undefined),
      );
      return turn;
    },
    members: () => db.read<ClusterMember>(LIST),
    fence: async (name, by) => {
      const now = db.clock.now();
      const audit = auditRow(
        now,
        { stream: "", key: "" },
        { action: "fence", resource: "", outcome: name, by: db.clean(by) },
      );
      const [result] = await db.step([call("fence_named", name, TRUST_MS, audit, now)]).catch((thrown: unknown) => {
        throw thrown instanceof Refusal ? stillAlive(name) : thrown;
      });
      const [row]: { fence_named: number }[] = result?.rows ?? [];
      return row?.fence_named ?? 0;
    },
  };

  async function run<Result>(
    name: string,
    token: string,
    signal: AbortSignal,
    work: () => Promise<Result>,
  ): Promise<Result> {
    const role = `alone/${name}`;
    for (;;) {
      signal.throwIfAborted();
      const [taken] = await step<{ take_role: boolean }>("take_role", role, token);
      if (taken?.take_role) break;
      await sleep(LOOK_MS, signal);
    }
    try {
      return await work();
    } finally {
      const free = "DELETE FROM leases WHERE role = @role AND holder = @token";
      // If this fails, the role stays taken until this process leaves; this process can still take it again.
      await db.step([fill(free, { role, token })]).catch(() => undefined);
    }
  }
}

function stillAlive(name: string): ParkError {
  const message = `${name} was heard of a moment ago; stop it, or wait until it has been silent for ${TRUST_MS / 1_000} s`;
  return new ParkError("E_REPLICA_ALIVE", message);
}
