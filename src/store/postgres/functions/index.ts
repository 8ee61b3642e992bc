import { createHash } from "node:crypto";
import { fencing } from "../cluster/fencing.ts";
import { members } from "../cluster/member-functions.ts";
import { shares } from "../cluster/shares.ts";
import { claims } from "./claims.ts";
import { matches } from "./matches.ts";
import { statementFunctions } from "./step-statements.ts";
import { steps } from "./steps.ts";

/** Every step as a function of the schema. They are code, not data: if another program created them, all are replaced. */
export const functions = [steps, claims, statementFunctions, matches, fencing, members, shares].join(";\n");

/** Identifies this program's functions. */
export const functionsHash = createHash("sha256").update(functions).digest("hex");
