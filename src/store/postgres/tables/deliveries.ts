import { randomUUID } from "node:crypto";
import { recordName, type Binding, type RecordId } from "#model";
import type { Applied, AuditEntry, Claim, Parents } from "../../claim.ts";
import type { DeliveryStore } from "../../contract/deliveries.ts";
import { expectServiceId, leftOut } from "../../refusals.ts";
import { auditRow } from "../../rows/audit-row.ts";
import { FIRST_GUARDED } from "../../lanes.ts";
import { storedInFlight } from "../../rows/in-flight.ts";
import { claimOf, type RecordRow } from "../../rows/record-row.ts";
import type { Database } from "../database.ts";
import { refusable } from "../refused.ts";
import { CLOCKS_DIFFER_MS } from "../connection/replica-clock.ts";
import { call, type SqlText } from "../sql.ts";

/** The steps of a delivery; each is a function of the schema. */
export function deliveryStore(db: Database): DeliveryStore {
  const { clock, clean, leaseMs, claims, lateWaking } = db;
  const audit = (id: RecordId, entry: AuditEntry | undefined) => entry && auditRow(clock.now(), id, entry);
  const step = async (claim: Claim, text: SqlText) => {
    await refusable(claim.id, db.step([text]));
  };
  const waking = (claim: Claim, text: SqlText) => refusable(claim.id, lateWaking.after(text));
  /** Runs a step of this claim, batched with others of its kind. */
  const together = async <Row>(
    name: string,
    { id, token }: Claim,
    values: object,
    binding?: Binding,
  ): Promise<Row[]> => {
    const [record] = token.split(".", 1);
    const call = { record: Number(record), token, now: clock.now(), ...values };
    return await refusable(id, db.together<Row>(name, call), binding);
  };
  const written = ({ id, sequence, deleted, binding }: Claim, applied: Applied) => ({
    ...binding,
    sequence,
    wasDeleted: deleted,
    applied: JSON.stringify(applied.projection),
    parents: parentsAsJson(applied.parents),
    audit: audit(id, applied.audit),
    again: applied.again === true,
    keys: applied.keys,
  });
  return {
    async claim(id) {
      const secret = `${claims.epoch}.${randomUUID()}`;
      const now = clock.now();
      // The clock of the replica that made the record due may be slightly ahead. If the claim were refused here, the record would wait for
      // the relay's next try.
      const dueBy = claims.mapping === undefined ? now : now + CLOCKS_DIFFER_MS;
      const of = { ...id, secret, mapping: claims.mapping, dueBy, until: now + leaseMs, guardedFrom: FIRST_GUARDED };
      const [row] = await db.together<RecordRow>("claim", of);
      return row && claimOf(row, `${row.id}.${secret}`);
    },
    renew: (claim) => step(claim, call("renew", claim.token, clock.now() + leaseMs)),
    async begin(claim, { resource, projection }) {
      const of = { resource, projection: JSON.stringify(projection) };
      const [{ creates } = { creates: 0 }] = await together<{ creates: number }>("begin_create", claim, of);
      db.hearCreates(creates);
      return creates;
    },
    async markInFlight(claim, inFlight = { kind: "update", fields: {} }) {
      const of = { doubts: JSON.stringify(storedInFlight(inFlight)) };
      const [{ writes } = { writes: 0 }] = await together<{ writes: number }>("mark_in_flight", claim, of);
      return writes;
    },
    abandon: (claim) => step(claim, call("abandon_create", claim.token)),
    answered: (claim) => step(claim, call("answer_create", claim.token)),
    looked: (claim) => step(claim, call("look_for_create", claim.token)),
    async bind(claim, binding, applied) {
      expectServiceId(claim.id, binding);
      const of = { ...written(claim, applied), ...binding };
      const rows = await together<RecordId | { stream: null }>("bind", claim, of, binding);
      const woken = rows.filter((row) => row.stream !== null);
      if (woken.length < rows.length) await lateWaking.run();
      return woken.map(({ stream, key }) => ({ stream, key }));
    },
    async apply(claim, applied) {
      await together("apply", claim, written(claim, applied));
    },
    retry: (claim, error, dueAt, entry) =>
      step(
        claim,
        call(
          "retry",
          claim.token,
          JSON.stringify(clean(error)),
          dueAt,
          audit(claim.id, entry && clean(entry)),
          clock.now(),
        ),
      ),
    wait: (claim, { error, parents = [], optional = [], dueAt }) =>
      step(
        claim,
        call(
          "wait",
          claim.token,
          JSON.stringify(clean(error)),
          parentsAsJson(parents),
          parentsAsJson(optional),
          dueAt,
          clock.now(),
        ),
      ),
    park: (claim, error, { audit: entry, parents = [] } = {}) =>
      step(
        claim,
        call(
          "park",
          claim.token,
          JSON.stringify(clean(error)),
          audit(claim.id, entry && clean(entry)),
          parentsAsJson(parents),
          clock.now(),
        ),
      ),
    uncertain: (claim, error) =>
      step(claim, call("mark_uncertain", claim.token, JSON.stringify(clean(error)), clock.now())),
    skip: (claim, reason, code) =>
      waking(claim, call("skip", claim.token, JSON.stringify(leftOut(reason, code)), clock.now())),
    async tellDeletion(claim, { since, confirmedAt, limit }) {
      const text = call("tell_deletion", claim.token, since, confirmedAt, limit, clock.now());
      const [result] = await refusable(claim.id, db.step([text]));
      const [told]: { told_at: number; count: number; is_counted: number }[] = result?.rows ?? [];
      return { toldAt: told?.told_at ?? 0, count: told?.count ?? 0, isCounted: told?.is_counted === 1 };
    },
    remove: (claim, { unbind, applied, inFlight, audit: entry }) =>
      waking(
        claim,
        call(
          "remove",
          claim.token,
          unbind,
          claim.sequence,
          applied && JSON.stringify(applied),
          inFlight && JSON.stringify(storedInFlight(inFlight)),
          audit(claim.id, entry),
          clock.now(),
        ),
      ),
    unbind: (claim, entry) => step(claim, call("unbind", claim.token, audit(claim.id, entry), clock.now())),
    release: (claim) => step(claim, call("release", claim.token, clock.now())),
  };
}

/** Lists each record once; if it is named twice, its id is the same. */
function parentsAsJson(parents: Parents): object {
  const byName = new Map(parents.map((parent) => [recordName(parent), parent]));
  return Array.from(byName.values(), ({ stream, key, serviceId }) => ({ s: stream, k: key, i: serviceId }));
}
