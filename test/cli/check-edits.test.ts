import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { openSources } from "#daemon";
import { loadSyncFile } from "#mapping";
import { DAY_MS, systemClock, type Finding } from "#model";
import { createSampleErp, type SampleErp } from "#sandbox";
import { resourceNames } from "#service";
import { adapters, type SourceStream } from "#sources";
import { checkEdits } from "../../src/cli/check/check-edits.ts";
import { readSampleSyncFile } from "../../src/cli/init/presets.ts";
import { silentLogger } from "../kit/logger.ts";
import { never } from "../kit/outcome.ts";

/** What a person does before an answer. */
interface Act {
  readonly does?: (erp: SampleErp, sql: (statement: string) => void) => void;
  readonly answers?: string;
}

/** What is found in the customers of the sample ERP while a person answers each question by an act; `said` is what the person is told. */
async function findings(
  acts: readonly Act[],
  { mapping = readSampleSyncFile(), deletions }: { mapping?: string; deletions?: "flag" } = {},
): Promise<{ found: Finding[]; said: string }> {
  const folder = await mkdtemp(join(tmpdir(), "svcsync-edits-"));
  const path = join(folder, "erp.sqlite");
  let isSetUp = false;
  const clock = { now: () => (isSetUp ? Date.now() : Date.now() - 30 * DAY_MS) };
  using erp = createSampleErp(path, { customers: 5, contacts: 0, tickets: 0, orders: 0, clock });
  isSetUp = true;
  const database = new Database(path);
  const options = {
    file: "sync.yaml",
    environment: { ERP_URL: `sqlite:${path}` },
    adapters,
    resources: new Set(resourceNames),
  };
  const syncFile = loadSyncFile(mapping, options);
  await using sources = await openSources(syncFile, { clock: systemClock, logger: silentLogger });
  let said = "";
  const answers = [...acts];
  const person = {
    say: (text: string) => void (said += text),
    ask: ({ text }: { text: string }) => {
      said += `${text}\n`;
      const { does, answers: answer = "" } = answers.shift() ?? { answers: "-" };
      does?.(erp, (statement) => void database.exec(statement));
      return Promise.resolve(answer);
    },
  };
  try {
    const stream = syncFile.streams.find(({ name }) => name === "customers")!;
    const source = sources.streams.get("customers")!;
    const asked: SourceStream = {
      capabilities: deletions === undefined ? source.capabilities : { deletions },
      changes: (...given) => source.changes(...given),
      readOne: (...given) => source.readOne(...given),
      keys: (...given) => source.keys(...given),
      check: (...given) => source.check(...given),
    };
    const found = await checkEdits(stream, asked, person, never, 0);
    expect(answers).toEqual([]);
    return { found, said };
  } finally {
    database.close();
    await rm(folder, { recursive: true, force: true });
  }
}

const subject = "stream customers, edits";
const leaveOut: Act = { answers: "-" };
const stampStays = "update customers set name1 = name1 || '!'";

describe("check --edits", () => {
  it("says that the next poll noticed what a person changed and deleted", async () => {
    const { found, said } = await findings([
      { does: (erp) => erp.renameCustomer("10001", "Other") },
      { does: (erp) => erp.change("customers", ["10002"], { remarks: "Other" }) },
      { does: (erp) => erp.flagDeleted("customers", ["10003"]), answers: "10003" },
    ]);
    expect(found).toEqual([
      { subject, verdict: "ok", message: "the next poll noticed the change of customers/10001" },
      { subject, verdict: "ok", message: "the next poll noticed the change of customers/10002" },
      { subject, verdict: "ok", message: "the next poll noticed the deletion of customers/10003" },
    ]);
    expect(said).toContain("Change something of customers/10001 in the ERP, save it, and press Enter");
  });

  it("finds a stamp that does not move, which no poll would ever show", async () => {
    const { found } = await findings([
      { does: (_erp, sql) => sql(stampStays) },
      leaveOut,
      { does: (_erp, sql) => sql("update customers set deleted = 1 where customer_no = '10004'"), answers: "10004" },
    ]);
    expect(found).toEqual([
      expect.objectContaining({
        subject,
        verdict: "problem",
        message: expect.stringMatching(/10001 was changed .* did not move/),
      }),
      expect.objectContaining({
        subject,
        verdict: "problem",
        message: expect.stringMatching(/10004 was marked as deleted .* did not move/),
      }),
    ]);
  });

  it("asks again while the row is as it was, and while nothing marks a record as deleted", async () => {
    const { found, said } = await findings([
      {},
      { does: (erp) => erp.renameCustomer("10001", "O") },
      leaveOut,
      { answers: "10005" },
      leaveOut,
    ]);
    expect(found.map(({ verdict }) => verdict)).toEqual(["ok"]);
    expect(said).toContain("customers/10001 is as it was");
    expect(said).toContain("customers/10005 is there, and nothing in its row marks it as deleted");
  });

  it("tells whether a deleted row is found by a sweep or by nothing", async () => {
    const acts: Act[] = [
      leaveOut,
      leaveOut,
      { does: (erp) => erp.deleteRow("customers", ["10005"]), answers: "10005" },
    ];
    const swept = await findings(acts);
    expect(swept.found).toEqual([
      { subject, verdict: "ok", message: "customers/10005 is no longer in the ERP; the next sweep finds that" },
    ]);
    const { found } = await findings(acts, { deletions: "flag" });
    expect(found).toEqual([
      expect.objectContaining({
        subject,
        verdict: "problem",
        message: expect.stringContaining("nothing reports that: it stays in the service"),
      }),
    ]);
  });

  it("tries nothing in a stream that is read whole", async () => {
    const { found } = await findings([], {
      mapping: readSampleSyncFile().replace(
        "{ table: customers, key: customer_no, changed: updated_at, overlap: 5m }",
        "{ table: customers, key: customer_no }",
      ),
    });
    expect(found).toEqual([
      expect.objectContaining({ verdict: "ok", message: expect.stringContaining("the stream is read whole") }),
    ]);
  });
});
