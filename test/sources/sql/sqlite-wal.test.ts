import { execFile } from "node:child_process";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import Sqlite from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { scriptEnvironment } from "../../setup/script.ts";

const run = promisify(execFile);
const USER = 1000;
const isRoot = process.getuid?.() === 0;
let folder: string;
let path: string;
let writer: Sqlite.Database;

/** What another user reads of the file, who may not write in its folder. */
async function readAsUser(): Promise<unknown> {
  const script = new URL("sqlite-wal-main.ts", import.meta.url).pathname;
  const { stdout } = await run(process.execPath, [script, path, String(USER)], { env: scriptEnvironment });
  return JSON.parse(stdout);
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "svcsync-wal-"));
  await chmod(folder, 0o755);
  path = join(folder, "erp.db");
  writer = new Sqlite(path);
  writer.pragma("journal_mode = wal");
  writer.exec("create table items (nr text primary key); insert into items values ('1'), ('2')");
});
afterEach(async () => {
  writer.close();
  await rm(folder, { recursive: true });
});

describe.runIf(isRoot)("a SQLite file in WAL mode whose folder svcsync may not write", () => {
  it("is read into memory where its log is empty, and check says so", async () => {
    writer.close();
    expect(await readAsUser()).toEqual({
      keys: ["1", "2"],
      said: expect.stringMatching(/SQLite 3.*a copy in memory.*WAL mode/),
    });
  });

  it("names folder, user and WAL where its log holds changes", async () => {
    for (const file of [`${path}-wal`, `${path}-shm`]) await chmod(file, 0o600);
    expect(await readAsUser()).toMatchObject({
      error: {
        code: "E_SOURCE_WAL",
        message: expect.stringMatching(
          new RegExp(`in WAL mode, and the user ${USER}.* may not write in the folder ${folder}`),
        ),
      },
    });
  });
});
