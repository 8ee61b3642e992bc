import { records } from "./0001-records.ts";
import { sweeps } from "./0002-sweeps.ts";
import { matchesMigration } from "./0003-matches.ts";
import { unreadable } from "./0004-unreadable.ts";
import { deletions } from "./0005-deletions.ts";
import { matchReadings } from "./0006-match-readings.ts";
import { answeredCreates } from "./0007-answered-creates.ts";
import { actsMigration } from "./0008-acts.ts";
import { notices } from "./0009-notices.ts";
import { groupNotes } from "./0010-group-notes.ts";
import { runHistory } from "./0011-run-history.ts";
import { care } from "./0012-care.ts";
import { deletionCursors } from "./0013-deletion-cursors.ts";
import { recentActs } from "./0014-recent-acts.ts";
import { watches } from "./0015-watches.ts";
import { sqliteMoveMigration } from "./0016-move.ts";
import { sqliteWakingMigration } from "./0017-waking.ts";
import { sqliteReturnsMigration } from "./0018-returns.ts";
import { sqliteReturnHeadsMigration } from "./0019-return-heads.ts";

/** The migrations of the store, oldest first: entry n leads from version n to n + 1. Entries are added, never edited. */
export const sqliteMigrations: readonly string[] = [
  records,
  sweeps,
  matchesMigration,
  unreadable,
  deletions,
  matchReadings,
  answeredCreates,
  actsMigration,
  notices,
  groupNotes,
  runHistory,
  care,
  deletionCursors,
  recentActs,
  watches,
  sqliteMoveMigration,
  sqliteWakingMigration,
  sqliteReturnsMigration,
  sqliteReturnHeadsMigration,
];
