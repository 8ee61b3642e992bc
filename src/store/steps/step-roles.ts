import { randomUUID } from "node:crypto";
import type { Clock } from "#model";
import type { Ending } from "../claim.ts";
import type { DeliveryStore } from "../contract/deliveries.ts";
import type { Store } from "../contract/index.ts";
import { answer } from "./answer.ts";
import { unbindRecord } from "./binding.ts";
import { claimRecord, renewClaim } from "./claim.ts";
import { announceDeletionStep } from "./deletion.ts";
import { forgetRecord } from "./forget.ts";
import { endClaim } from "./ending.ts";
import { beginCreate, markInFlight, noteCreate } from "./journal.ts";
import { LateWaking } from "./late-waking.ts";
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
    noteCreate: (claim, known) => driver.take(noteCreate(claim, known), { durable: known !== "notFound" }),
    async end(claim, ending) {
      const durable = ending.kind === "bind" || ending.kind === "remove";
      const step = endClaim(claim, cleaned(ending, clean), clock.now());
      const { woken, isMore } = await driver.take(step, { durable });
      await wakeOthers(isMore);
      return [...woken];
    },
    announceDeletion: (claim, query) => driver.take(announceDeletionStep(claim, query, clock.now())),
    unbind: (claim, audit) => driver.take(unbindRecord(claim, audit, clock.now()), DURABLE),
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

/** Errors and attempts quote what was answered, which may show a secret. */
function cleaned(ending: Ending, clean: StepDeps["clean"]): Ending {
  if (!("error" in ending)) return ending;
  const error = clean(ending.error);
  return "audit" in ending ? { ...ending, error, audit: clean(ending.audit) } : { ...ending, error };
}

function claiming({ clock, leaseMs, member }: StepDeps) {
  const { epoch = 0, mapping, clocksDifferMs = 0 } = member ?? {};
  const now = clock.now();
  // The clock of the member that made the record due may be slightly ahead. If the claim were refused here, the record would wait for the
  // relay's next try.
  const dueBy = mapping === undefined ? now : now + clocksDifferMs;
  return { dueBy, now, until: now + leaseMs, secret: `${epoch}.${randomUUID()}`, mapping };
}
