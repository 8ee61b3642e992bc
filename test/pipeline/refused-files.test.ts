import { describe, expect, it } from "vitest";
import { settleFileAct, urgencyOf } from "#operator";
import { Poller, PollPauses, refusedFiles, streamStatus, Sweeper } from "#pipeline";
import { openStore } from "#store";
import { carriedOut } from "../kit/acting.ts";
import { SetClock } from "../kit/clock.ts";
import { silentLogger } from "../kit/logger.ts";
import { never } from "../kit/outcome.ts";
import { DropFolder } from "../sources/files/drop-folder.ts";
import { sqlitePlace } from "../store/sqlite-place.ts";
import { customersFile } from "./customer-stream.ts";

const stream = "customers";
const by = { name: "anna", via: "cli" } as const;
const stray = 'no;name\n1;a\n2;Rohr 1/2" verzinkt\n';

function rows(count: number): string {
  return `no;name\n${Array.from({ length: count }, (_, at) => `${at};x\n`).join("")}`;
}

/** A folder that is polled into a real store. */
async function polled(read: object) {
  const place = await sqlitePlace();
  const clock = new SetClock(Date.parse("2026-03-02T10:00:00Z"));
  const folder = await DropFolder.make(clock);
  const store = await openStore(place.dataDir, { as: "daemon", clock, logger: silentLogger });
  const source = await folder.stream(read);
  const failures: string[] = [];
  const poller = new Poller({
    store,
    sources: new Map([[stream, source]]),
    sweeper: new Sweeper({
      store,
      streams: new Map(),
      sources: new Map(),
      clock,
      logger: silentLogger,
      intervalMs: 60_000,
    }),
    pauses: new PollPauses({ sourceOf: () => "erp" }),
    rounds: { begin: () => {}, decide: async () => {}, end: () => {} },
    clock,
    logger: silentLogger,
    observer: {
      staged: () => {},
      polled: () => {},
      pollFailed: (_stream, { code, message }) => void failures.push(`${code}: ${message}`),
      delivered: () => {},
    },
    nudge: () => {},
  });
  return {
    store,
    folder,
    failures,
    /** Drops files, polls, and returns the status. */
    async after(files: Readonly<Record<string, string>> = {}) {
      for (const [name, text] of Object.entries(files)) await folder.drop(name, text);
      clock.advance(120_000);
      await poller.poll(stream, never);
      const [status] = await streamStatus(store, customersFile().streams, clock);
      return status!;
    },
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]();
      await place[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

describe("a refused file", () => {
  it.each(["delta", "full"])(
    "of kind %s makes its stream fail, with the file and the reason, over later polls",
    async (kind) => {
      await using scene = await polled({ kind });
      expect((await scene.after({ "customers_1.csv": "no;name\n1;a\n" })).state).toBe("following");
      for (const files of [{ "customers_2.csv": stray }, {}, { "customers_3.csv": "no;name\n1;a\n3;c\n" }]) {
        const status = await scene.after(files);
        expect(status).toMatchObject({ state: "failing", cursor: { error: { code: "E_SOURCE_FILE" } } });
        expect(status.cursor.error!.message).toMatch(/^customers_2\.csv:3: .*quote/i);
        expect(status.attention.join("\n")).toContain("customers_2.csv");
        expect(urgencyOf([status], "note")).toBe("person");
      }
      expect((await scene.store.record({ stream, key: "3" }))?.row).toEqual({ no: "3", name: "c" });
    },
  );

  it("is settled by a later file of its name, also where that has the content of the file before it", async () => {
    await using scene = await polled({});
    const good = "no;name\n1;a\n";
    await scene.after({ "customers.csv": good });
    expect((await scene.after({ "customers.csv": stray })).state).toBe("failing");
    expect(await scene.after({ "customers.csv": good })).toMatchObject({
      state: "following",
      refusedFiles: [],
      attention: [],
    });
  });

  it("is not settled by a full file of its name that lost most of its rows", async () => {
    await using scene = await polled({ kind: "full" });
    await scene.after({ "customers.csv": rows(100) });
    await scene.after({ "customers.csv": stray });
    expect((await scene.after({ "customers.csv": rows(10) })).state).toBe("failing");
    expect((await scene.after({ "customers.csv": rows(101) })).state).toBe("following");
  });

  it("is a short full file with lines without a key, such as an error that was exported, too", async () => {
    await using scene = await polled({ kind: "full", format: "json", files: "*.json" });
    await scene.after({ "customers.json": '[{"no":"1","name":"a"},{"no":"2","name":"b"}]' });
    expect(await scene.after({ "customers_2.json": '{"error":"no permission"}' })).toMatchObject({
      state: "failing",
      refusedFiles: [{ name: "customers_2.json", code: "E_SOURCE_FILE_LINE" }],
    });
  });

  it("is settled by a person, once, and the act is kept", async () => {
    await using scene = await polled({});
    await scene.after({ "customers.csv": stray });
    const wrong = carriedOut(settleFileAct, scene, stream, { name: "other.csv" }, by);
    await expect(wrong).rejects.toThrow("customers has no refused file other.csv: expected one of customers.csv");
    await carriedOut(settleFileAct, scene, stream, { name: "customers.csv" }, by);
    expect(await scene.after()).toMatchObject({ state: "following", attention: [] });
    expect(await scene.store.acts.recent({ since: 0, limit: 5 })).toMatchObject([{ action: "files", stream, by }]);
    await expect(carriedOut(settleFileAct, scene, stream, { name: "customers.csv" }, by)).rejects.toThrow(
      "Nothing was changed",
    );
  });

  it("is one, too, whose lines without a key were left out of a delta", async () => {
    await using scene = await polled({});
    const { refusedFiles: files, state } = await scene.after({ "customers.csv": "no;name\n1;a\n;b\n2;b;c\n" });
    expect(state).toBe("failing");
    expect(files).toMatchObject([
      {
        code: "E_SOURCE_FILE_LINE",
        place: "customers.csv:3",
        reason: "its key no is empty (and 1 more lines without a readable key)",
      },
    ]);
    expect((await scene.after({ "customers.csv": "no;name\n2;b\n" })).state).toBe("following");
  });

  it("is reported again after a crash between its report and its move", async () => {
    await using scene = await polled({});
    await scene.folder.drop("customers.csv", stray);
    const source = await scene.folder.stream({});
    // The poll ends before anything of it is stored.
    for await (const batch of source.changes(null, never)) if (batch.files) break;
    expect(await scene.folder.names("processing")).toHaveLength(1);
    expect((await scene.after()).state).toBe("failing");
    expect(await refusedFiles(scene.store, stream)).toHaveLength(1);
  });

  it("is named where the keys of a full file are asked for", async () => {
    await using scene = await polled({ kind: "full" });
    await scene.after({ "customers.csv": stray });
    const source = await scene.folder.stream({ kind: "full" });
    const asking = source.keys(never)[Symbol.asyncIterator]().next();
    await expect(asking).rejects.toThrow(
      /no full file customers\*\.csv was read yet; the last one was refused: E_SOURCE_FILE customers\.csv:3: /,
    );
  });
});
