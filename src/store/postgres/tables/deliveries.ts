import { stepRoles, type StepRoles } from "../../steps/step-roles.ts";
import { CLOCKS_DIFFER_MS } from "../connection/replica-clock.ts";
import type { Database } from "../database.ts";

/** The steps that all stores decide in the same way. */
export function decidedSteps(db: Database): StepRoles {
  const { clock, clean, leaseMs, claims, lateWaking } = db;
  const replica = { ...claims, clocksDifferMs: CLOCKS_DIFFER_MS };
  const roles = stepRoles({ driver: db, clock, leaseMs, clean, lateWaking, replica });
  return {
    ...roles,
    async begin(...of) {
      const creates = await roles.begin(...of);
      db.hearCreates(creates);
      return creates;
    },
  };
}
