import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { setStage } from "../../journeys/stage.ts";
import { poll } from "../reading.ts";
import { DropFolder } from "./drop-folder.ts";
import { SetClock } from "../../kit/clock.ts";
import { never } from "../../kit/outcome.ts";

let folder: DropFolder;
beforeEach(async () => {
  folder = await DropFolder.make(new SetClock(Date.parse("2026-03-02T10:00:00Z")));
});
afterEach(() => folder[Symbol.asyncDispose]());

/** Every file below the folder, with what it holds. */
async function everything(): Promise<Record<string, string>> {
  const entries = await readdir(folder.path, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(
    await Promise.all(paths.map(async (path) => [path, await readFile(path, "utf8")] as const)),
  );
}

const keys = (changes: readonly { readonly key: string }[]) => changes.map(({ key }) => key);

describe("a look at the next rows", () => {
  it("shows those of files that wait, and leaves every file where it is", async () => {
    const stream = await folder.stream({ ready: "stable" });
    await folder.drop("customers_1.csv", "no;name\nC1;a\nC2\nC3;c\n");
    await folder.drop("customers_2.csv", "no;name\nC4;d\nC5;e\n");
    const before = await everything();
    expect(keys(await stream.peek!(null, 3, never))).toEqual(["C1", "C3", "C4"]);
    expect(await everything()).toEqual(before);
  });

  it("goes on where the last poll stopped, in the middle of a file too", async () => {
    const stream = await folder.stream({ size: 2 });
    await folder.drop("customers_1.csv", "no;name\nC1;a\nC2;b\nC3;c\n");
    const { batches, cursor } = await poll(stream);
    expect(keys(await stream.peek!(batches[0]!.cursor, 10, never))).toEqual(["C3"]);
    expect(await stream.peek!(cursor, 10, never)).toEqual([]);
    expect(keys(await stream.peek!(null, 10, never))).toEqual(["C1", "C2", "C3"]);
  });

  it("goes on where the last poll stopped behind a row that cannot be read", async () => {
    const stream = await folder.stream({ size: 2, numbers: ["amount"] });
    await folder.drop("customers_1.csv", "no;amount\nC1;many\nC2;2\nC3;3\n");
    const { batches } = await poll(stream);
    expect(keys(await stream.peek!(batches[0]!.cursor, 10, never))).toEqual(["C3"]);
  });

  it("names the file and what is wrong with it", async () => {
    const stream = await folder.stream({});
    await folder.drop("customers_1.csv", "number;name\nC1;a\n");
    await expect(stream.peek!(null, 1, never)).rejects.toMatchObject({
      code: "E_SOURCE_FILE",
      message: expect.stringContaining("customers_1.csv"),
    });
    expect(await folder.names("failed")).toEqual([]);
  });
});

describe("svcsync", () => {
  it.each(["delta", "full"])("peeks and checks without touching a folder of %s files", async (kind) => {
    await folder.drop("customers_1.csv", "no;name\nC1;Müller\nC2;Ötzi\n");
    await using stage = await setStage({
      environment: { DROP_FOLDER: folder.path },
      syncFile: `
sources:
  erp: { adapter: files, folder: "\${DROP_FOLDER}" }
streams:
  customers:
    source: erp
    read: { files: customers_*.csv, kind: ${kind}, format: csv, key: no }
    resource: customer
    match: [customerId]
    fields:
      customerId: no
      name: name
      customerStatus: { lookup: customerStatus, by: name, value: { const: Active } }
`,
    });
    const before = await everything();
    const peeked = await stage.command("peek", "customers");
    expect([peeked.code, peeked.stderr]).toEqual([0, ""]);
    expect(peeked.stdout).toContain('name: "Müller"');
    const checked = await stage.command("check");
    expect([checked.code, checked.stderr]).toEqual([0, ""]);
    expect(checked.stdout).toContain("the row of customers/C1 can be mapped");
    expect(await everything()).toEqual(before);
  });
});
