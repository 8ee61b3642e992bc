import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { XMLParser } from "fast-xml-parser";
import { z } from "zod";
import { returnsText } from "../../src/cli/init/returns-text.ts";
import { readSampleSyncFile } from "../../src/cli/init/presets.ts";
import { runCaptured } from "./scene.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "svcsync-cases-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const shipped = await readFile("config/sample/sync.test.yaml", "utf8");

/** `svcsync test` beside the shipped sync file, without secrets, with these cases; undefined: without a file of cases. */
async function test(cases: string | undefined, ...options: string[]) {
  const syncFile = join(folder, "sync.yaml");
  await writeFile(syncFile, readSampleSyncFile());
  if (cases !== undefined) await writeFile(join(folder, "sync.test.yaml"), cases);
  const envFile = join(folder, "ci.env");
  await writeFile(envFile, `SYNC_FILE=${syncFile}\n`);
  return runCaptured(["test", ...options, "--env-file", envFile]);
}

const oneCase = (expected: string, more = "") => `
${more}
cases:
  - stream: contacts
    row: { customer_no: "1", contact_no: 2, first_name: A, last_name: B, email: a@b.example, deleted: 0, phone: "1", mobile: "2", gender: f, notes: n }
    expect: ${expected}
`;

/** A case of returns for the sync file that init writes, with the comment marks of its end removed. */
async function testReturns(cases: string) {
  const syncFile = join(folder, "sync.yaml");
  const [, returns = ""] = returnsText.split("#\n");
  await writeFile(syncFile, readSampleSyncFile() + returns.replaceAll(/^# /gm, ""));
  await writeFile(join(folder, "sync.test.yaml"), cases);
  const envFile = join(folder, "ci.env");
  await writeFile(envFile, `SYNC_FILE=${syncFile}\n`);
  return runCaptured(["test", "--json", "--env-file", envFile]);
}

const documentedReturns = async () =>
  /```yaml\n(returns:[\s\S]*?)```/.exec(await readFile("docs/commands.md", "utf8"))?.[1] ?? "";
const differences = z.object({ cases: z.array(z.object({ title: z.string(), differences: z.array(z.string()) })) });
const ofReturns = (stdout: string) =>
  differences.parse(JSON.parse(stdout)).cases.find(({ title }) => title === "hours are rounded")?.differences;

describe("svcsync test of returns", () => {
  it("passes the case of the documentation", async () => {
    const { code, stdout } = await testReturns(await documentedReturns());
    expect([code, ofReturns(stdout)]).toEqual([0, []]);
  });

  it.each<[string, (text: string) => string, string[]]>([
    ["another amount", (text) => text.replace("0.33", "0.34"), ["line 1: - amount: 0.34", "line 1: + amount: 0.33"]],
    ["another key", (text) => text.replace('"10001"', '"10002"'), ['- customer_no: "10002"', '+ customer_no: "10001"']],
    [
      "a worker without a number",
      (text) => text.replace("worker: 8", "worker: 9"),
      ["expected a return", "it is parked: reports.time.staff_no: user 9: the service does not have it (E_RETURN_KEY)"],
    ],
    [
      "a report that is not approved",
      (text) => text.replace("approved: true", "approved: false"),
      ["expected a return", "it is skipped: left out by when"],
    ],
  ])("shows %s", async (_what, change, told) => {
    expect(ofReturns((await testReturns(change(await documentedReturns()))).stdout)).toEqual(told);
  });

  it("refuses an unknown stream and column", async () => {
    const { stderr, code } = await testReturns(
      (await documentedReturns()).replace("stream: reports", "stream: report"),
    );
    expect(stderr).toContain('found the unknown stream of returns "report", did you mean "reports"?');
    expect(code).toBe(78);
    expect((await testReturns((await documentedReturns()).replace("order_no:", "ordr_no:"))).stderr).toContain(
      'found the unknown column of reports "ordr_no", did you mean "order_no"?',
    );
  });
});

describe("svcsync test", () => {
  it("passes the shipped cases on a machine without ERP, service, queue and secrets", async () => {
    const { code, stdout, stderr } = await test(shipped);
    expect(stderr).toBe("");
    expect(stdout).toBe("6 cases: 6 passed, 0 failed\n");
    expect(code).toBe(0);
  });

  it("finds no cases of the sample beside a sync file of one's own, which they do not fit", async () => {
    expect((await readdir("config")).filter((name) => name.endsWith(".test.yaml"))).toEqual([]);
  });

  it("refuses cases in Windows-1252, with line and byte", async () => {
    await test(undefined);
    const file = join(folder, "sync.test.yaml");
    await writeFile(file, Buffer.from("# one\n# M\xfcller\ncases: []\n", "latin1"));
    const { code, stderr } = await runCaptured(["test", "--env-file", join(folder, "ci.env")]);
    expect(stderr).toContain(`${file}:2:4 found the byte 0xfc, expected a file in UTF-8`);
    expect(code).toBe(78);
  });

  it("passes the case of the documentation", async () => {
    const [, documented] = /```yaml\n(names:[\s\S]*?)```/.exec(await readFile("docs/commands.md", "utf8")) ?? [];
    expect((await test(documented)).stdout).toBe("1 case: 1 passed, 0 failed\n");
  });

  it("shows what differs, with the place of the case", async () => {
    const changed = shipped.replace("name: Muster AG", "name: Muster").replace(/ *priority: 11\n/, "");
    const { code, stdout } = await test(changed);
    expect(stdout).toMatch(/^FAILED {2}.*sync\.test\.yaml:\d+ both name columns become one name$/m);
    expect(stdout).toContain('  - name: "Muster"\n  + name: "Muster AG"\n');
    expect(stdout).toContain("due date is in UTC\n  + priority: 11\n");
    expect(stdout).toContain("6 cases: 4 passed, 2 failed\n");
    expect(code).toBe(1);
  });

  it.each([
    ["{ skipped: true }", "expected skipped"],
    ["{ deleted: delete }", "expected deleted: delete"],
    ["{ parked: E_MAPPING }", "expected parked: E_MAPPING"],
    ["{ fields: {} }", "expected fields"],
  ])("fails a case that expects %s of a contact whose customer is not bound", async (expected, message) => {
    const { code, stdout } = await test(oneCase(expected));
    expect(stdout).toContain(`${message}\n  it is waiting: waits for customers/1,`);
    expect(code).toBe(1);
  });

  it("does not take a field for expected that is not", async () => {
    const { code, stdout } = await test(oneCase("{ fields: { firstName: A } }", 'bound: { customers: { "1": 7 } }'));
    expect(stdout).toContain("  + customer: 7\n");
    expect(stdout).not.toContain("firstName");
    expect(code).toBe(1);
  });

  it("parks what names do not have, and takes a record that is gone in the ERP", async () => {
    const cases = shipped.replace("- { id: 1, name: Active }", "- { id: 1, name: Aktiv }");
    expect((await test(cases)).stdout).toContain("(E_LOOKUP_UNKNOWN)");
    const gone = await test("cases: [{ stream: orders, gone: true, expect: { deleted: ignore } }]");
    expect(gone.code).toBe(0);
  });

  it("writes JUnit XML and JSON", async () => {
    const junit = join(folder, "reports", "junit.xml");
    const { code, stdout } = await test(
      shipped.replace("name: Muster AG", "name: A & <B>"),
      "--junit",
      junit,
      "--json",
    );
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ passed: 5, failed: 1 });
    const parser = new XMLParser({ ignoreAttributes: false });
    const suite: unknown = parser.parse(await readFile(junit, "utf8"));
    expect(suite).toMatchObject({
      testsuites: {
        testsuite: {
          "@_tests": "6",
          "@_failures": "1",
          testcase: [{ failure: { "#text": '- name: "A & <B>"\n+ name: "Muster AG"' } }, {}, {}, {}, {}, {}],
        },
      },
    });
  });

  it.each([
    ["no file", undefined, /has no \*\.test\.yaml/],
    ["no cases", "cases: []", /sync\.test\.yaml:1:8 cases: expected at least one case, here or under returns/],
    [
      "an unknown stream",
      "cases: [{ stream: custmers, row: {}, expect: { skipped: true } }]",
      /unknown stream "custmers", did you mean "customers"/,
    ],
    [
      "an unknown word",
      "cases: [{ stream: customers, rows: {}, expect: { skipped: true } }]",
      /:1:\d+ cases\[0\]\.rows: found the unknown word "rows", did you mean "row"/,
    ],
    [
      "an unknown field",
      "cases: [{ stream: customers, row: {}, expect: { fields: { shortNmae: 1 } } }]",
      /unknown field of customers "shortNmae", did you mean "shortName"/,
    ],
    ["two outcomes", "cases: [{ stream: customers, row: {}, expect: { skipped: true, parked: E } }]", /exactly one of/],
    ["no row", "cases: [{ stream: customers, expect: { skipped: true } }]", /expected row, or gone: true/],
    [
      "an unknown resource",
      "names: { prioritee: [] }\ncases: [{ stream: customers, row: {}, expect: { skipped: true } }]",
      /unknown resource "prioritee"/,
    ],
    ["broken YAML", "cases: [", /sync\.test\.yaml:1/],
  ])("refuses a file with %s in one clear error", async (_, cases, message) => {
    const { code, stdout, stderr } = await test(cases);
    expect(stderr).toMatch(message);
    expect(stderr).toMatch(
      /\(E_TEST_FILE\)\nCorrect what the message lists, then run "svcsync test"; docs\/commands\.md .*\n$/,
    );
    expect(stdout).toBe("");
    expect(code).toBe(78);
  });
});
