import { createHash } from "node:crypto";
import { mkdtemp, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { RetryError, systemClock, type Return } from "#model";
import { adapters, type FolderInbox, type OpenedSource } from "#sources";
import { openDestination } from "../../../src/returns/destinations/destination.ts";
import { FilesDestination } from "../../../src/returns/destinations/files/files-destination.ts";
import type { InboxStream } from "../../../src/returns/destinations/sql/inbox-columns.ts";
import { never } from "../../kit/outcome.ts";
import { startSftpServer, type SftpServer } from "../../sources/files/sftp-server.ts";
import { openContext } from "../../sources/reading.ts";
import { line, report, reports } from "./sql-inbox.ts";

const csv: InboxStream = { ...reports, to: { source: "drop", folder: "out" }, answers: { withinMs: 1 } };
const json: InboxStream = { ...csv, to: { source: "drop", folder: "out", format: "json" } };
const HASH = "a".repeat(64);

let root: string;
let server: SftpServer | undefined;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "svcsync-inbox-"));
});
afterEach(async () => {
  await server?.[Symbol.asyncDispose]();
  server = undefined;
  await rm(root, { recursive: true });
});

async function opened(kind: "folder" | "SFTP"): Promise<OpenedSource<unknown>> {
  const adapter = adapters.get("files")!;
  if (kind === "folder") return await adapter.open(adapter.settings.parse({ folder: root }), openContext(systemClock));
  server = await startSftpServer(root);
  const { port, hostKey } = server;
  const sftp = { host: "127.0.0.1", port, username: "erp", password: "secret", hostKey };
  return await adapter.open(adapter.settings.parse({ folder: "/", sftp }), openContext(systemClock));
}

function destinationIn(source: OpenedSource<unknown>, stream = csv, installation = "prod") {
  return openDestination(stream, { sources: new Map([["drop", source]]), installation, clock: systemClock });
}

async function files(below = "out"): Promise<string[]> {
  const entries = await readdir(join(root, below), { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)
    .toSorted();
}

const read = (name: string) => readFile(join(root, "out", name), "utf8");
const base = `prod~reports~1~1-${HASH}`;

describe.each(["folder", "SFTP"] as const)("an inbox in a %s", (kind) => {
  it("has a report as CSV, with a manifest that appears last", async () => {
    await using source = await opened(kind);
    await using destination = destinationIn(source);
    const lines = [line({ id: 1, fields: { article: 'A;"1"', text: "" } }), line({ id: 2, amount: null, fields: {} })];
    const item = report(1, { content: { fields: { order_no: "Ö-1", finished_at: null }, lines } });
    expect(await destination.deliver(item, never)).toBe("written");
    expect(await files()).toEqual([`${base}.csv`, `${base}.lines.csv`, `${base}.manifest.json`]);
    expect(await read(`${base}.csv`)).toBe(
      `return_id;stream;record_key;service_id;version;kind;replaces;line_count;content_hash;order_no;finished_at\nprod/reports/1/1;reports;1;1;1;fact;;2;${HASH};Ö-1;\n`,
    );
    expect(await read(`${base}.lines.csv`)).toBe(
      `return_id;line_no;line_kind;line_id;change;amount;amount_before;article;text\nprod/reports/1/1;1;time;1;added;1.5;;"A;""1""";""\nprod/reports/1/1;2;time;2;added;;;;\n`,
    );
    const manifest: { files: { name: string; rows: number; bytes: number; sha256: string }[] } = JSON.parse(
      await read(`${base}.manifest.json`),
    );
    expect(manifest).toMatchObject({ return_id: "prod/reports/1/1", line_count: 2 });
    for (const { name, bytes, sha256 } of manifest.files) {
      const content = await read(name);
      expect(Buffer.byteLength(content)).toBe(bytes);
      expect(createHash("sha256").update(content).digest("hex")).toBe(sha256);
    }
    expect(manifest.files.map(({ rows }) => rows)).toEqual([2, 1]);
  });

  it("has a report as JSON", async () => {
    await using source = await opened(kind);
    await using destination = destinationIn(source, json);
    await destination.deliver(report(1), never);
    expect(await files()).toEqual([`${base}.json`, `${base}.manifest.json`]);
    expect(JSON.parse(await read(`${base}.json`))).toMatchObject({
      return_id: "prod/reports/1/1",
      fields: { order_no: "O-1" },
      lines: [{ line_no: 1, amount: "1.5", fields: { text: "Zeile 1" } }, {}, {}, {}, {}],
    });
  });

  it("has each version once, also after the ERP has taken it, whoever hands it over, and refuses another content", async () => {
    await using source = await opened(kind);
    await using destination = destinationIn(source);
    await using other = destinationIn(source, csv, "copy");
    await destination.deliver(report(1), never);
    expect(await destination.deliver(report(1), never)).toBe("present");
    for (const name of await files()) await rm(join(root, "out", name));
    expect(await destination.deliver(report(1), never)).toBe("present");
    expect(await other.deliver(report(1), never)).toBe("present");
    await expect(other.deliver(report(1, { hash: "b".repeat(64) }), never)).rejects.toMatchObject({
      code: "E_RETURN_CONFLICT",
      message: expect.stringContaining("prod/reports/1/1"),
    });
    expect(await files()).toEqual([]);
    await destination.deliver(report(1, { version: 2, hash: "b".repeat(64) }), never);
    expect([...(await destination.highest("reports", ["1", "2"], never))]).toEqual([["1", 2]]);
  });

  it("takes no version behind which it had a newer one", async () => {
    await using source = await opened(kind);
    await using destination = destinationIn(source);
    await destination.deliver(report(1), never);
    await destination.deliver(report(1, { version: 2, hash: "b".repeat(64) }), never);
    await expect(destination.deliver(report(1), never)).rejects.toMatchObject({
      code: "E_RETURN_CONFLICT",
      message: expect.stringContaining("has version 2 of reports/1"),
    });
  });

  it("gives answers from files, and from where the ERP moved a return to", async () => {
    await using source = await opened(kind);
    await using destination = destinationIn(source);
    const items: Return[] = [1, 2, 3, 4, 5, 6].map((id) => report(id));
    for (const item of items) await destination.deliver(item, never);
    for (const below of ["answers", "done", "error"]) await mkdir(join(root, "out", below));
    const answer = (name: string, text: string) => writeFile(join(root, "out", "answers", name), text);
    await answer("prod~reports~1~1.json", '{ "result": "ok", "document": "RE-1" }');
    await answer(`prod~reports~2~1-${HASH}.csv`, 'result;document;message\nrefused;;"unbekannt"\n');
    const move = (id: number, below: string) =>
      rename(
        join(root, "out", `prod~reports~${id}~1-${HASH}.csv`),
        join(root, "out", below, `prod~reports~${id}~1-${HASH}.csv`),
      );
    await move(3, "done");
    await move(4, "error");
    await writeFile(join(root, "out", "error", `prod~reports~4~1-${HASH}.txt`), "Artikel fehlt\n");
    await move(5, "error");
    expect(await destination.answers(items, never)).toMatchObject([
      { result: "ok", document: "RE-1" },
      { result: "refused", message: "unbekannt" },
      { result: "ok", document: undefined },
      { result: "refused", message: "Artikel fehlt" },
      { result: "refused", message: "moved to error" },
      undefined,
    ]);
  });

  it("does not know what happened when its note cannot be read", async () => {
    await using source = await opened(kind);
    await using destination = destinationIn(source);
    await destination.deliver(report(1), never);
    await writeFile(join(root, "out/begun/reports/reports~1~1.begun.json"), "");
    await expect(destination.deliver(report(1), never)).rejects.toMatchObject({
      code: "E_RETURN_UNCERTAIN",
      family: "park",
    });
  });
});

/** An inbox whose connection ends before or after one of the steps that change something. */
function breaking(inbox: FolderInbox, at: number, when: "before" | "after"): FolderInbox {
  let steps = 0;
  const step = async (work: () => Promise<void>) => {
    const isDue = steps++ === at;
    if (isDue && when === "before") throw new RetryError("E_SOURCE_UNREACHABLE", "cut");
    await work();
    if (isDue) throw new RetryError("E_SOURCE_UNREACHABLE", "cut");
  };
  return {
    ...inbox,
    put: (...of) => step(() => inbox.put(...of)),
    move: (...of) => step(() => inbox.move(...of)),
  };
}

describe("a return in files", () => {
  const cuts = [0, 1, 2, 3, 4].flatMap((at) => (["before", "after"] as const).map((when) => [when, at] as const));

  it.each(cuts)("is taken by the ERP once when svcsync is cut off %s step %i", async (when, at) => {
    await using source = await opened("folder");
    const inbox = source.folderInbox!("out");
    const broken = new FilesDestination({
      inbox: breaking(inbox, at, when),
      stream: csv,
      installation: "prod",
      clock: systemClock,
    });
    const booked: string[] = [];
    /** The ERP takes what has a manifest, and leaves nothing of it. */
    const take = async () => {
      for (const name of (await files()).filter((one) => one.endsWith(".manifest.json"))) {
        const { return_id: id, files: of }: { return_id: string; files: { name: string }[] } = JSON.parse(
          await read(name),
        );
        booked.push(id);
        for (const { name: part } of of) await rm(join(root, "out", part));
        await rm(join(root, "out", name));
      }
    };
    await expect(broken.deliver(report(1), never)).rejects.toMatchObject({ family: "retry" });
    await take();
    await destinationIn(source).deliver(report(1), never);
    await take();
    expect(booked).toEqual(["prod/reports/1/1"]);
  });

  it("is complete and there once, wherever an SFTP connection is cut", async () => {
    await using source = await opened("SFTP");
    await using destination = destinationIn(source);
    let cutCount = 0;
    for (let id = 1; id <= 40; id++) {
      server?.cutAfter(id);
      for (;;) {
        try {
          await destination.deliver(report(id), never);
          break;
        } catch (thrown) {
          if (!(thrown instanceof RetryError)) throw thrown;
          cutCount++;
        }
      }
      server?.cutAfter(Number.POSITIVE_INFINITY);
    }
    expect(cutCount).toBeGreaterThan(20);
    const names = await files();
    expect(names.filter((name) => name.endsWith(".manifest.json"))).toHaveLength(40);
    expect(names.filter((name) => name.endsWith(".csv") && !name.startsWith("."))).toHaveLength(80);
  });

  it("is not put where svcsync reads from", async () => {
    await using source = await opened("folder");
    expect(() => destinationIn(source, { ...csv, to: { source: "drop", folder: "done" } })).toThrow(
      "one that svcsync reads from",
    );
  });

  it("is found by check to have a folder", async () => {
    await using source = await opened("folder");
    expect(await destinationIn(source).check(never)).toMatchObject([{ verdict: "ok" }]);
    await rm(root, { recursive: true });
    await mkdir(root);
  });
});
