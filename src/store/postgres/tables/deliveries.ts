import { randomUUID } from "node:crypto";
import { recordName, type Binding, type RecordId } from "#model";
import type { Applied, AuditEntry, Claim, Parents } from "../../claim.ts";
import type { DeliveryStore } from "../../contract/deliveries.ts";
import { expectServiceId, leftOut } from "../../refusals.ts";
import { auditRow } from "../../rows/audit-row.ts";
import { storedInFlight } from "../../rows/in-flight.ts";
import { claimOf, type RecordRow } from "../../rows/record-row.ts";
import type { Database } from "../database.ts";
import { refusable } from "../refused.ts";
import { savingMatches } from "./matching.ts";
import { CLOCKS_DIFFER_MS } from "../connection/replica-clock.ts";
import { call, type SqlText, type SqlValue } from "../sql.ts";

/** The steps of a delivery: each is a function of the schema. */
export function deliveryStore(db: Database): DeliveryStore {
  const { clock, clean, leaseMs, claims } = db;
  const audit = (id: RecordId, entry: AuditEntry | undefined) => entry && auditRow(clock.now(), id, entry);
  const step = async (claim: Claim, text: SqlText) => {
    await refusable(claim.id, db.step([text]));
  };
  const written = ({ id, sequence, deleted }: Claim, applied: Applied): SqlValue[] => [
    sequence,
    deleted,
    JSON.stringify(applied.projection),
    parentsAsJson(applied.parents),
    audit(id, applied.audit),
    applied.again === true,
    clock.now(),
  ];
  return {
    async claim(id) {
      const secret = `${claims.epoch}.${randomUUID()}`;
      const now = clock.now();
      // Another replica may have made it due by a clock that is a little ahead. Refused here, it would wait for the relay's patience.
      const dueBy = claims.mapping === undefined ? now : now + CLOCKS_DIFFER_MS;
      const [result] = await db.step([call("claim", id.stream, id.key, secret, claims.mapping, dueBy, now + leaseMs)]);
      const [row]: RecordRow[] = result?.rows ?? [];
      return row && claimOf(row, `${row.id}.${secret}`);
    },
    renew: (claim) => step(claim, call("renew", claim.token, clock.now() + leaseMs)),
    async begin(claim, { resource, projection }) {
      const text = call("begin_create", claim.token, resource, JSON.stringify(projection), clock.now());
      const [result] = await refusable(claim.id, db.step([text]));
      const [{ creates } = { creates: 0 }]: { creates: number }[] = result?.rows ?? [];
      db.hearCreates(creates);
      return creates;
    },
    markInFlight: (claim, inFlight = { kind: "update", fields: {} }) =>
      step(claim, call("mark_in_flight", claim.token, JSON.stringify(storedInFlight(inFlight)))),
    abandon: (claim) => step(claim, call("abandon_create", claim.token)),
    answered: (claim) => step(claim, call("answer_create", claim.token)),
    looked: (claim) => step(claim, call("look_for_create", claim.token)),
    async bind(claim, binding, applied) {
      expectServiceId(claim.id, binding);
      const { resource, serviceId } = binding;
      const text = call("bind", claim.token, resource, serviceId, ...written(claim, applied));
      const [result] = await refusable(claim.id, db.step([text, ...indexed(binding, applied)]), binding);
      const woken: RecordId[] = result?.rows ?? [];
      return woken.map(({ stream, key }) => ({ stream, key }));
    },
    async apply(claim, applied) {
      const text = call("apply", claim.token, ...written(claim, applied));
      await refusable(claim.id, db.step([text, ...indexed(claim.binding, applied)]));
    },
    retry: (claim, error, dueAt) =>
      step(claim, call("retry", claim.token, JSON.stringify(clean(error)), dueAt, clock.now())),
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
          audit(claim.id, entry),
          parentsAsJson(parents),
          clock.now(),
        ),
      ),
    uncertain: (claim, error) =>
      step(claim, call("mark_uncertain", claim.token, JSON.stringify(clean(error)), clock.now())),
    skip: (claim, reason) => step(claim, call("skip", claim.token, JSON.stringify(leftOut(reason)), clock.now())),
    async tellDeletion(claim, { since, confirmedAt }) {
      const text = call("tell_deletion", claim.token, since, confirmedAt, clock.now());
      const [result] = await refusable(claim.id, db.step([text]));
      const [told]: { told_at: number; count: number; is_counted: number }[] = result?.rows ?? [];
      return { toldAt: told?.told_at ?? 0, count: told?.count ?? 0, isCounted: told?.is_counted === 1 };
    },
    remove: (claim, { unbind, applied, inFlight, audit: entry }) =>
      step(
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

function indexed(binding: Binding | undefined, { keys }: Applied): SqlText[] {
  return binding && keys ? [savingMatches(binding.resource, [{ serviceId: binding.serviceId, keys }])] : [];
}

/** Each once, by the last that names it: the ids of one record are the same. */
function parentsAsJson(parents: Parents): object {
  const byName = new Map(parents.map((parent) => [recordName(parent), parent]));
  return Array.from(byName.values(), ({ stream, key, serviceId }) => ({ s: stream, k: key, i: serviceId }));
}
