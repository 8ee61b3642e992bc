import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { readSyncFile } from "../../src/daemon/sync-file.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "svcsync-sync-file-"));
});
afterEach(() => rm(folder, { recursive: true }));

const text = `sources: { erp: { adapter: sql, url: "sqlite:erp.db" } }
streams:
  customers:
    source: erp
    read: { table: customers, key: no }
    resource: customer
    fields: { name: { const: Müller } }
`;

it("a sync file in Windows-1252 or UTF-16 is refused with line and byte", async () => {
  const path = join(folder, "sync.yaml");
  await writeFile(path, text, "latin1");
  await expect(readSyncFile(path, {})).rejects.toMatchObject({
    code: "E_SYNC_FILE",
    message: `${path}:7:31 found the byte 0xfc, expected UTF-8: save the file in UTF-8, it seems to be in Windows-1252`,
    details: { problems: [{ line: 7, column: 31 }] },
  });
  await writeFile(path, `\uFEFF${text}`, "utf16le");
  const seems = /found the byte 0xff, expected UTF-8: save the file in UTF-8, it seems to be in UTF-16$/;
  await expect(readSyncFile(path, {})).rejects.toThrow(seems);
  await writeFile(path, `\uFEFF${text}`);
  expect((await readSyncFile(path, {})).streams.map(({ name }) => name)).toEqual(["customers"]);
});
