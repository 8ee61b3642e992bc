import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openSftpFolder } from "../../../src/sources/files/folder/sftp-folder.ts";
import { allKeys, poll } from "../reading.ts";
import { DropFolder } from "./drop-folder.ts";
import { startSftpServer, type SftpServer } from "./sftp-server.ts";
import { SetClock } from "../../kit/clock.ts";

let folder: DropFolder;
let server: SftpServer;

beforeEach(async () => {
  folder = await DropFolder.make(new SetClock(Date.parse("2026-03-02T10:00:00Z")));
  await mkdir(join(folder.path, "in"));
  server = await startSftpServer(folder.path);
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

function login() {
  return { host: "127.0.0.1", port: server.port, username: "erp", password: "secret", hostKey: server.hostKey };
}

function stream(sftp: object = {}) {
  return folder.stream({ kind: "full" }, { folder: "/in", sftp: { ...login(), ...sftp } });
}

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");

/** What is used once all that is not is collected. */
function heapBytes(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

describe("a folder on an SFTP server", () => {
  it("gives its files, and puts them away there, also after the connection broke", async () => {
    const customers = await stream();
    await folder.drop("in/customers_1.csv", "no;name\nC1;Müller\nC2\nC3;Ötzi\n");
    const first = await poll(customers);
    expect(first.keys).toEqual(["C1", "C3"]);
    expect(await folder.text("in/failed", ".lines.ndjson")).toContain("customers_1.csv:3");
    server.cut();
    await folder.drop("in/customers_2.csv", "no;name\nC1;Müller\nC2;Zwei\nC3;Ötzi\n");
    const second = await poll(customers, first.cursor).catch(() => poll(customers, first.cursor));
    expect(second.keys).toEqual(["C1", "C2", "C3"]);
    expect(await allKeys(customers)).toEqual(["C1", "C2", "C3"]);
    expect(await folder.names("in/done")).toHaveLength(2);
  });

  it("may vanish at any moment of a reading: that is an error of the poll and of nothing else", async () => {
    const customers = await stream();
    await folder.drop("in/customers.csv", "no;name\nC1;Müller\n");
    let cuts = 0;
    for (;;) {
      server.cutAfter(cuts);
      const failure = await poll(customers).then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      if (failure === undefined) break;
      expect(failure).toMatchObject({ family: "retry" });
      cuts++;
    }
    expect(cuts).toBeGreaterThan(5);
    server.cutAfter(Number.POSITIVE_INFINITY);
    expect((await poll(customers)).keys).toEqual(["C1"]);
  });

  it("is read by one connection after the one before broke, whenever it is asked for", async () => {
    const there = openSftpFolder("/in", login());
    await there.list("");
    server.cut();
    const answers: Promise<unknown>[] = [];
    for (let turn = 0; turn < 60; turn++) {
      answers.push(there.list("").catch((thrown: unknown) => thrown));
      await setImmediate();
    }
    await Promise.all(answers);
    await there.list("");
    await there[Symbol.asyncDispose]();
    await vi.waitFor(() => expect(server.connectionCount()).toBe(0), 120_000);
  });

  it("keeps nothing of what it read, however long the connection lasts", async () => {
    const [names, times] = [300, 100];
    for (let at = 0; at < names; at++) await folder.drop(`in/customers_${at}.csv`, "no;name\n");
    await using there = openSftpFolder("/in", login());
    const again = async () => {
      expect(await there.list("")).toHaveLength(names);
      const stream = await there.open("customers_1.csv");
      for await (const _bytes of stream);
      return new WeakRef(stream);
    };
    await again();
    const before = heapBytes();
    const streams: WeakRef<object>[] = [];
    for (let time = 0; time < times; time++) streams.push(await again());
    const perListedFile = (heapBytes() - before) / (names * times);
    expect(perListedFile).toBeLessThan(100);
    expect(streams.filter((stream) => stream.deref() !== undefined).length).toBeLessThan(5);
  });

  it.each([
    ["a wrong password", { password: "wrong" }, "E_SOURCE_LOGIN"],
    ["a server whose key is not the pinned one", { hostKey: "A".repeat(43) }, "E_SOURCE_UNREACHABLE"],
  ])("is not reached with %s", async (_what, settings, code) => {
    await expect(poll(await stream(settings))).rejects.toMatchObject({ code });
  });
});
