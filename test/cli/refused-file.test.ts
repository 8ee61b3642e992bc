import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openScene } from "./scene.ts";

const syncFile = (folder: string) => `
sources: { erp: { adapter: files, folder: "${folder}" } }
streams:
  customers:
    source: erp
    read: { files: "*.csv", kind: delta, format: csv, key: no, ready: atOnce }
    resource: customer
    match: [customerId]
    fields: { customerId: no, name: name, customerStatus: { lookup: customerStatus, value: status } }
`;

it("a refused file ends sync, status and check with 1, names file and reason, and is settled by one act", async () => {
  await using scene = await openScene();
  const folder = join(scene.folder, "drop");
  await mkdir(folder);
  await scene.edit(() => syncFile(folder));
  await writeFile(join(folder, "a.csv"), "no;name;status\n1;Muster;Active\n");
  expect(await scene.run("sync")).toMatchObject({ code: 0 });

  await writeFile(join(folder, "b.csv"), 'no;name;status\n2;Rohr 1/2" verzinkt;Active\n');
  const told = /the file b\.csv was refused, and none of its rows was used: b\.csv:2: a quote is inside a value/;
  for (const command of ["sync", "status", "check", "files"]) {
    const { code, stdout } = await scene.run(command);
    expect([command, code, stdout.replace(/\s+/g, " ")]).toEqual([command, 1, expect.stringMatching(told)]);
  }
  const status = await scene.run("status", "--json");
  expect(JSON.parse(status.stdout)).toMatchObject({
    streams: [
      {
        state: "failing",
        cursor: { error: { code: "E_SOURCE_FILE" } },
        refusedFiles: [{ name: "b.csv", place: "b.csv:2" }],
      },
    ],
  });

  expect(await scene.run("files", "customers", "--settle", "c.csv")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("expected one of b.csv"),
  });
  expect(await scene.run("files", "--settle", "b.csv")).toMatchObject({ code: 64 });
  const settled = await scene.run("files", "customers", "--settle", "b.csv", "--why", "typed in by hand");
  expect(settled).toMatchObject({ code: 0, stdout: "b.csv is settled.\nNo refused file waits for a person.\n" });
  expect(await scene.run("sync")).toMatchObject({ code: 0 });
  expect(await scene.run("status")).toMatchObject({ code: 0 });
});
