import { createHash } from "node:crypto";
import { claims } from "./claims.ts";
import { fencing } from "./fencing.ts";
import { intake } from "./intake.ts";
import { matches } from "./matches.ts";
import { replicas } from "./replicas.ts";
import { shares } from "./shares.ts";
import { statementFunctions } from "./step-statements.ts";
import { steps } from "./steps.ts";

/** Every step as a function of the schema. They are code, not data: if another program created them, all are replaced. */
export const functions = [steps, claims, statementFunctions, intake, matches, fencing, replicas, shares].join(";\n");

/** Identifies this program's functions. */
export const functionsHash = createHash("sha256").update(functions).digest("hex");
