import type { Daemon } from "#daemon";
import { counted, ParkError, type RecordId, type StreamName } from "#model";
import { PlanCheck, type Checked, type PlanRecord } from "#operator";
import { type Approved, heldBy, Presence, type Planner, type Verdict } from "#pipeline";
import type { Redact } from "#telemetry";
import type { PlanOnDisk } from "./plan-on-disk.ts";
import { Differences } from "./staleness.ts";

/** Records that are compared with the service at once. The service's own limit lies below. */
const AT_ONCE = 32;

export interface ApproveDeps {
  readonly daemon: Daemon;
  readonly planner: Planner;
  readonly approved: Approved;
  readonly redact: Redact;
}

/** What an apply is about to do. */
export interface Outlook {
  /** Records to deliver, by what the plan says. */
  readonly open: Readonly<Partial<Record<Verdict, number>>>;
  /** Records that are already as planned. */
  readonly done: number;
}

/**
 * Decides each record of the plan again, compares it with the service, and approves it. Writes nothing.
 * @throws {ParkError} E_PLAN_STALE when any record would be delivered otherwise; E_PLAN_HELD when one would not be delivered at all.
 */
export async function approve(plan: PlanOnDisk, deps: ApproveDeps, signal: AbortSignal): Promise<Outlook> {
  const { store, service } = deps.daemon.parts;
  const check = new PlanCheck({ ...deps, store, presence: new Presence(store, service) });
  const differences = new Differences();
  const held = new Held(deps);
  const open: Partial<Record<Verdict, number>> = {};
  let done = 0;
  let comparing: Promise<void>[] = [];
  const take = (checked: Checked, { verdict, serviceId, deletes, fields }: PlanRecord): void => {
    if (checked.kind === "done") done += 1;
    else if (checked.kind === "differs") differences.add(checked);
    else {
      const { id, view } = checked;
      open[verdict] = (open[verdict] ?? 0) + 1;
      held.look(id, verdict, view.isGuarded === true);
      const names = fields.map(({ field }) => field);
      deps.approved.add(id, { verdict, serviceId, deletes, fields: names, sequence: view.sequence });
    }
  };
  await plan.each(async (record) => {
    signal.throwIfAborted();
    const checked = await check.check(record, signal);
    if (checked.kind !== "open") return take(checked, record);
    const compared = check.compare(checked, signal).then((found) => take(found, record));
    // Its error is thrown by the wait below, which may begin after it failed.
    compared.catch(() => undefined);
    comparing.push(compared);
    if (comparing.length < AT_ONCE) return;
    await Promise.all(comparing);
    comparing = [];
  });
  await Promise.all(comparing);
  differences.expectNone();
  await held.expectNone();
  return { open, done };
}

/** Records of the plan that something holds. */
class Held {
  readonly #deps: ApproveDeps;
  readonly #streams = new Set<StreamName>();
  readonly #guarded = new Set<StreamName>();
  readonly #deletions = new Map<StreamName, number>();

  constructor(deps: ApproveDeps) {
    this.#deps = deps;
  }

  look({ stream }: RecordId, verdict: Verdict, isGuarded: boolean): void {
    this.#streams.add(stream);
    if (isGuarded) this.#guarded.add(stream);
    if (verdict === "delete") this.#deletions.set(stream, (this.#deletions.get(stream) ?? 0) + 1);
  }

  /** @throws {ParkError} E_PLAN_HELD */
  async expectNone(): Promise<void> {
    const { daemon, planner } = this.#deps;
    const reasons: string[] = [];
    for (const stream of this.#streams) {
      const { store, clock } = daemon.parts;
      const all = await heldBy(store, stream, clock.now());
      const found = all.filter(({ kind }) => kind !== "mass" || this.#guarded.has(stream));
      for (const { reason, remedy } of found) reasons.push(`${stream}: ${reason}. ${remedy}`);
      if (found.length === 0 && daemon.holds.isHeld(stream))
        reasons.push(`${stream}: it is held. "svcsync status" shows why`);
    }
    for (const [stream, count] of this.#deletions)
      if (await planner.wouldHold(stream, count))
        reasons.push(
          `${stream}: the deletion guard does not allow ${counted(count, "deletion")}. "svcsync deletions ${stream} --confirm"`,
        );
    if (reasons.length === 0) return;
    throw new ParkError(
      "E_PLAN_HELD",
      `the plan cannot be carried out yet, and nothing was written:\n${reasons.map((reason) => `  ${reason}`).join("\n")}`,
    );
  }
}
