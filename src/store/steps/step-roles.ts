import { randomUUID } from "node:crypto";
import type { Clock } from "#model";
import type { DeliveryStore } from "../contract/deliveries.ts";
import type { Store } from "../contract/index.ts";
import { answer } from "./answer.ts";
import { applyRecord, bindRecord } from "./binding.ts";
import { claimRecord, renewClaim } from "./claim.ts";
import { announceDeletionStep } from "./deletion.ts";
import { forgetRecord } from "./forget.ts";
import { abandonCreate, beginCreate, markInFlight, noteAnswer, noteLook } from "./journal.ts";
import { LateWaking } from "./late-waking.ts";
import {
  markUncertain,
  parkRecord,
  releaseClaim,
  removeRecord,
  retryLater,
  skipRecord,
  unbindRecord,
  waitFor,
} from "./outcomes.ts";
import { saveMatchEntries } from "./match-index.ts";
import { recheckRecord } from "./recheck.ts";
import { markKeys } from "./sweeping.ts";
import type { ListDriver } from "./step.ts";

/** The methods of a store that are steps decided here. */
export type StepRoles = DeliveryStore &
  Pick<Store, "resolve" | "recheck" | "saveMatches" | "markSeen"> &
  Pick<Store["privacy"], "forget">;

interface StepDeps {
  readonly driver: ListDriver;
  readonly clock: Clock;
  readonly leaseMs: number;
  /** Removes secrets before something is stored. */
  readonly clean: <Value>(value: Value) => Value;
  readonly lateWaking: LateWaking;
  /** The member of the cluster that claims; undefined in a store for a single process. */
  readonly member?: { readonly epoch: number; readonly mapping: string | undefined; readonly clocksDifferMs: number };
}

/** For every step that opens or ends an intent, a binding or a doubt: it must survive a power cut. */
const DURABLE = { durable: true } as const;

export function stepRoles(deps: StepDeps): StepRoles {
  const { driver, clock, clean, lateWaking } = deps;
  const wakeOthers = async (isMore: boolean) => {
    if (isMore) await lateWaking.run();
  };
  return {
    claim: (id) => driver.take(claimRecord(id, claiming(deps))),
    renew: (claim) => driver.take(renewClaim(claim, clock.now() + deps.leaseMs)),
    begin: (claim, intent) => driver.take(beginCreate(claim, intent, clock.now()), DURABLE),
    markInFlight: (claim, inFlight) => driver.take(markInFlight(claim, inFlight), DURABLE),
    abandon: (claim) => driver.take(abandonCreate(claim), DURABLE),
    answered: (claim) => driver.take(noteAnswer(claim), DURABLE),
    looked: (claim) => driver.take(noteLook(claim)),
    async bind(claim, binding, applied) {
      const { woken, isMore } = await driver.take(bindRecord(claim, binding, applied, clock.now()), DURABLE);
      await wakeOthers(isMore);
      return [...woken];
    },
    apply: (claim, applied) => driver.take(applyRecord(claim, applied, clock.now())),
    retry: (claim, error, dueAt, audit) =>
      driver.take(retryLater(claim, { error: clean(error), dueAt, audit: clean(audit) }, clock.now())),
    wait: (claim, waiting) => driver.take(waitFor(claim, { ...waiting, error: clean(waiting.error) }, clock.now())),
    park: (claim, error, more) =>
      driver.take(parkRecord(claim, { ...more, error: clean(error), audit: clean(more?.audit) }, clock.now())),
    uncertain: (claim, error) => driver.take(markUncertain(claim, clean(error), clock.now())),
    skip: async (claim, reason, code) =>
      wakeOthers(await driver.take(skipRecord(claim, { reason, code }, clock.now()))),
    announceDeletion: (claim, query) => driver.take(announceDeletionStep(claim, query, clock.now())),
    remove: async (claim, removal) => wakeOthers(await driver.take(removeRecord(claim, removal, clock.now()), DURABLE)),
    unbind: (claim, audit) => driver.take(unbindRecord(claim, audit, clock.now()), DURABLE),
    release: (claim) => driver.take(releaseClaim(claim, clock.now())),
    saveMatches: async (resource, entries, rules) => {
      await driver.takeEach(entries, (some) => saveMatchEntries(resource, some, rules));
    },
    // If it is interrupted, the marks made so far are still right.
    markSeen: async (stream, sweep, keys) => {
      await driver.takeEach(keys, (some) => markKeys(stream, sweep, some));
    },
    resolve: async (id, given, by) => wakeOthers(await driver.take(answer(id, given, clean(by), clock.now()), DURABLE)),
    recheck: (id, fields, audit, { anyState } = { anyState: false }) =>
      driver.take(recheckRecord(id, { fields, audit, anyState }, clock.now()), DURABLE),
    forget: async (id, by) => wakeOthers(await driver.take(forgetRecord(id, clean(by), clock.now()), DURABLE)),
  };
}

function claiming({ clock, leaseMs, member }: StepDeps) {
  const { epoch = 0, mapping, clocksDifferMs = 0 } = member ?? {};
  const now = clock.now();
  // The clock of the member that made the record due may be slightly ahead. If the claim were refused here, the record would wait for the
  // relay's next try.
  const dueBy = mapping === undefined ? now : now + clocksDifferMs;
  return { dueBy, now, until: now + leaseMs, secret: `${epoch}.${randomUUID()}`, mapping };
}
