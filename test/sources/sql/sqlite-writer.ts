import Sqlite from "better-sqlite3";

/** Another process that writes a SQLite file without a pause: `node sqlite-writer FILE COUNT`. */
const [, , path = "", count = "0"] = process.argv;
const database = new Sqlite(path);
database.pragma("journal_mode = wal");
database.exec("create table items (nr integer primary key, at text)");
const insert = database.prepare("insert into items values (?, strftime('%Y-%m-%d %H:%M:%f', 'now'))");
for (let nr = 1; nr <= Number(count); nr++) {
  insert.run(nr);
  if (nr === 100) process.stdout.write("begun\n");
}
process.stdout.write("done\n");
