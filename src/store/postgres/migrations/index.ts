import { tables } from "./0001-tables.ts";
import { clusterMigration } from "./0002-cluster.ts";
import { postgresMoveMigration } from "./0003-move.ts";
import { limits } from "./0004-limits.ts";
import { servers } from "./0005-servers.ts";
import { program } from "./0006-program.ts";
import { stepsMigration } from "./0007-steps.ts";
import { postgresWakingMigration } from "./0008-waking.ts";
import { postgresReturnsMigration } from "./0009-returns.ts";
import { postgresReturnHeadsMigration } from "./0010-return-heads.ts";
import { recordNumbers } from "./0011-record-numbers.ts";

/** The migrations of the schema, oldest first: entry n leads from version n to n + 1. Entries are added, never edited. */
export const postgresMigrations: readonly string[] = [
  tables,
  clusterMigration,
  postgresMoveMigration,
  limits,
  servers,
  program,
  stepsMigration,
  postgresWakingMigration,
  postgresReturnsMigration,
  postgresReturnHeadsMigration,
  recordNumbers,
];
