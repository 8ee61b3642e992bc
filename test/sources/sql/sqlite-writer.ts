import { once } from "node:events";
import Sqlite from "better-sqlite3";

/**
 * Another process that writes a SQLite file: `node sqlite-writer FILE COUNT`. It says "begun" after a hundred rows, and writes the others without
 * a pause once it is told to.
 */
const [, , path = "", count = "0"] = process.argv;
const OVERLAP_MS = 2_000;
const database = new Sqlite(path);
database.pragma("journal_mode = wal");
database.exec("create table items (nr integer primary key, at text)");
const write = database.prepare("insert or replace into items values (?, strftime('%Y-%m-%d %H:%M:%f', 'now'))");
for (let nr = 1; nr <= Number(count);) {
  const startedAt = performance.now();
  write.run(nr);
  // A commit that a busy machine held up for longer than the overlap of the reader is none that it promises to see.
  if (performance.now() - startedAt >= OVERLAP_MS) continue;
  if (nr === 100) {
    process.stdout.write("begun\n");
    await once(process.stdin, "data");
  }
  nr++;
}
process.stdin.destroy();
