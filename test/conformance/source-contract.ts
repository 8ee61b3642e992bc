import { writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { afterAll, describe, expect, it, type TestContext } from "vitest";
import { keptName, PROMISES_FOLDER } from "./kept-table.ts";
import { PromiseTable } from "./promise-table.ts";
import type { SourceUnderTest } from "./source-harness.ts";
import { flatMemory } from "./source-memory.ts";
import { anyOrder } from "./source-model.ts";
import { sourcePromises } from "./source-promises.ts";

const withoutStamps = "reads rows without a stamp";
/** Far beyond what the slowest proof takes: a loaded machine disproves nothing. */
const PATIENCE_MS = 600_000;

/** Proves the contract of `SourceStream` for one adapter, and notes in `table` what was and what was not. */
export function describeSource(subject: SourceUnderTest, table: PromiseTable): void {
  const proofs: Record<string, () => Promise<void>> = {};
  for (const [promise, prove] of Object.entries(sourcePromises))
    proofs[promise] = async () => {
      await using erp = await subject.open();
      await prove(erp);
    };
  proofs["reads a big table in flat memory"] = async () => {
    await using erp = await subject.open();
    await flatMemory(erp);
  };
  const stampless = subject.exempt?.[withoutStamps] === undefined;
  proofs["loses nothing in any order of changes, commits, polls and crashes"] = () =>
    anyOrder(() => subject.open(), stampless);

  describe(`source ${subject.name}`, () => {
    for (const [promise, prove] of Object.entries(proofs))
      // The sentences and their assertions are in sourcePromises, where other adapters find them, too.
      // oxlint-disable-next-line vitest/valid-title, vitest/expect-expect
      it(promise, { timeout: PATIENCE_MS }, async (context) => {
        await judge(subject, promise, prove, table, context);
      });
  });
}

async function judge(
  subject: SourceUnderTest,
  promise: string,
  prove: () => Promise<void>,
  table: PromiseTable,
  context: TestContext,
): Promise<void> {
  const exempt = subject.exempt?.[promise];
  const reason = exempt ?? subject.absent;
  if (reason !== undefined) {
    table.note(subject.name, promise, { kind: exempt === undefined ? "skipped" : "n/a", reason });
    context.skip(reason);
  }
  table.note(subject.name, promise, { kind: "failed" });
  await prove();
  table.note(subject.name, promise, { kind: "proven" });
}

/** Keeps the table where {@link PROMISES_FOLDER} says when the file's tests are done; SHOW_TABLES=1 prints it. */
export function keptTable(): PromiseTable {
  const table = new PromiseTable();
  afterAll(async () => {
    if (process.env["SHOW_TABLES"]) process.stdout.write(`\n${table.text()}\n`);
    const folder = process.env[PROMISES_FOLDER];
    const { testPath } = expect.getState();
    if (folder !== undefined && testPath !== undefined)
      await writeFile(join(folder, keptName(relative(process.cwd(), testPath))), JSON.stringify(table.cells()));
  });
  return table;
}
