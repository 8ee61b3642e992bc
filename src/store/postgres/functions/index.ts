import { createHash } from "node:crypto";
import { claims } from "./claims.ts";
import { decisions } from "./decisions.ts";
import { deletions } from "./deletions.ts";
import { deliveries } from "./deliveries.ts";
import { fencing } from "./fencing.ts";
import { intake } from "./intake.ts";
import { matches } from "./matches.ts";
import { parents } from "./parents.ts";
import { privacy } from "./privacy.ts";
import { replicas } from "./replicas.ts";
import { shares } from "./shares.ts";
import { steps } from "./steps.ts";

/** Every step as a function of the schema. They are code, not data: if another program created them, all are replaced. */
export const functions = [
  steps,
  claims,
  parents,
  deliveries,
  deletions,
  intake,
  matches,
  decisions,
  privacy,
  fencing,
  replicas,
  shares,
].join(";\n");

/** Identifies this program's functions. */
export const functionsHash = createHash("sha256").update(functions).digest("hex");
