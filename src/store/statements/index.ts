import * as audit from "./audit.ts";
import * as bindings from "./bindings.ts";
import * as deletions from "./deletions.ts";
import * as fence from "./fence.ts";
import * as intake from "./intake.ts";
import * as intents from "./intents.ts";
import * as matches from "./matches.ts";
import * as notes from "./notes.ts";
import * as parents from "./parents.ts";
import * as privacy from "./privacy.ts";
import * as records from "./records.ts";
import type { StepStatement } from "./statement.ts";
import * as sweeps from "./sweeps.ts";
import * as waking from "./waking.ts";
import * as written from "./written.ts";

const tables = [
  records,
  intake,
  intents,
  written,
  bindings,
  parents,
  matches,
  deletions,
  notes,
  waking,
  sweeps,
  audit,
  privacy,
  fence,
];

/** Every statement of the steps, by name: the order of a module's exports is another one in a bundle. */
export const stepStatements: readonly StepStatement[] = tables
  .flatMap((table) =>
    Object.values(table).flatMap((exported) =>
      typeof exported === "function" && "of" in exported ? [exported.of] : [],
    ),
  )
  .toSorted((one, other) => (one.name < other.name ? -1 : 1));
