import { tables } from "./0001-tables.ts";
import { replicas } from "./0002-replicas.ts";
import { move } from "./0003-move.ts";
import { limits } from "./0004-limits.ts";
import { servers } from "./0005-servers.ts";
import { program } from "./0006-program.ts";
import { steps } from "./0007-steps.ts";
import { waking } from "./0008-waking.ts";

/** The migrations of the schema, oldest first: entry n leads from version n to n + 1. Entries are added, never edited. */
export const migrations: readonly string[] = [tables, replicas, move, limits, servers, program, steps, waking];
