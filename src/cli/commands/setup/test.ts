import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { loadMappingCases, type SyncFile } from "#mapping";
import { codeOf, counted, StopError, utf8Fault, textLines } from "#model";
import { resourceNames } from "#service";
import { readOfflineContext, type JsonOptions, type Registration } from "../../command-context.ts";
import { exitCode, printJson, type Io } from "../../output/io.ts";
import { junitText } from "../../test/junit.ts";
import { runCase, type CaseResult } from "../../test/run-case.ts";
import { runReturnCase } from "../../test/run-return-case.ts";

interface TestOptions extends JsonOptions {
  readonly junit?: string;
}

const SUFFIX = ".test.yaml";

export const registerTest: Registration = (cli) =>
  cli
    .command("test", "Run the test cases of the mapping; no ERP, service, queue or store is needed")
    .argument("[files...]", `files of cases (default: all *${SUFFIX} beside the sync file)`)
    .option("--junit <file>", "also write the results as JUnit XML")
    .option("--json", "the results as JSON")
    .action(cli.action(test));

/** `svcsync test [FILES]`: maps the row of each case as a delivery would, and compares. */
async function test(files: readonly string[], options: TestOptions, io: Io): Promise<number> {
  const { settings, syncFile } = await readOfflineContext(options, io);
  const paths = files.length > 0 ? files : await filesBeside(settings.syncFile);
  // Read all files before running a case, so that a mistake in the last file is found before any results.
  const read = await Promise.all(paths.map(async (path) => [path, await casesIn(path, syncFile)] as const));
  const results = new Map<string, CaseResult[]>();
  for (const [path, given] of read) {
    const ran: CaseResult[] = [];
    for (const one of given.cases) ran.push(await runCase(one, given, syncFile.streams, io.signal));
    for (const one of given.returns) ran.push(await runReturnCase(one, { cases: given, ...syncFile }, io.signal));
    results.set(path, ran);
  }
  if (options.junit !== undefined) {
    await mkdir(dirname(options.junit), { recursive: true });
    await writeFile(options.junit, io.redaction.redact(junitText(results)));
  }
  const cases = [...results].flatMap(([file, ran]) => ran.map((result) => ({ file, ...result })));
  const failed = cases.filter(({ differences }) => differences.length > 0);
  if (options.json) printJson(io.stdout, { passed: cases.length - failed.length, failed: failed.length, cases });
  else {
    for (const { file, line, title, differences } of failed)
      io.stdout.write(textLines([`FAILED  ${file}:${line} ${title}`, ...differences.map((each) => `  ${each}`)]));
    io.stdout.write(
      `${counted(cases.length, "case")}: ${cases.length - failed.length} passed, ${failed.length} failed\n`,
    );
  }
  return failed.length > 0 ? exitCode.needsPerson : exitCode.ok;
}

async function casesIn(file: string, { streams, returns }: SyncFile) {
  const bytes = await readFile(file).catch((cause: unknown) => {
    const reason = codeOf(cause) ?? "unreadable";
    throw new StopError("E_TEST_FILE", `${file} cannot be read (${reason})`, { cause });
  });
  const fault = utf8Fault(bytes);
  if (fault !== undefined)
    throw new StopError(
      "E_TEST_FILE",
      `${file}:${fault.line}:${fault.column} found the byte ${fault.byte}, expected a file in UTF-8: it seems to be in ${fault.seems}`,
    );
  const text = bytes.toString("utf8").replace(/^\uFEFF/, "");
  return loadMappingCases(text, { file, streams, returns, resources: new Set(resourceNames) });
}

async function filesBeside(syncFile: string): Promise<string[]> {
  const folder = dirname(syncFile);
  const names = (await readdir(folder)).filter((name) => name.endsWith(SUFFIX)).toSorted();
  if (names.length > 0) return names.map((name) => join(folder, name));
  throw new StopError(
    "E_TEST_FILE",
    `${folder} has no *${SUFFIX}; write sync${SUFFIX} beside the sync file, or name the files`,
  );
}
