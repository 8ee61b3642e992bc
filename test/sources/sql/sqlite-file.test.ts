import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { systemClock } from "#model";
import { adapters } from "#sources";
import { Reader } from "../../conformance/source-reading.ts";
import { openContext } from "../reading.ts";
import { scriptEnvironment } from "../../setup/script.ts";

describe("a SQLite file", () => {
  it("that another process writes meanwhile is read without loss", async () => {
    const folder = await mkdtemp(join(tmpdir(), "svcsync-wal-"));
    const path = join(folder, "erp.db");
    const count = 20_000;
    const script = new URL("sqlite-writer.ts", import.meta.url).pathname;
    const writer = spawn(process.execPath, [script, path, String(count)], {
      env: scriptEnvironment,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const ended = once(writer, "exit");
    await once(writer.stdout, "data");
    const adapter = adapters.get("sql")!;
    const source = await adapter.open(adapter.settings.parse({ url: `sqlite:${path}` }), openContext(systemClock));
    const read = { table: "items", key: "nr", changed: "at", overlap: "2s", pageSize: 100 };
    const reader = new Reader(source.stream("items", adapter.read.parse(read)));
    let polls = 0;
    while (writer.exitCode === null) {
      await reader.poll();
      polls++;
    }
    expect((await ended)[0]).toBe(0);
    await reader.poll();
    expect(polls).toBeGreaterThan(0);
    expect(reader.names.size).toBe(count);
    await source[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });
});
