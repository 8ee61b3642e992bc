import { chmod, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openScene, type Scene } from "./scene.ts";

let scene: Scene;
let file: string;
beforeEach(async () => {
  scene = await openScene();
  file = join(scene.folder, "sync.test.yaml");
});
afterEach(() => scene[Symbol.asyncDispose]());

const saved = () => readFile(file, "utf8");
const peek = (stream: string, ...options: string[]) => scene.run("peek", stream, "--save", file, ...options);

describe("peek --save", () => {
  it("saves rows of every stream as cases that pass at once, and fail with a diff after an edit of the mapping", async () => {
    scene.erp.insertCustomer({ customer_no: "10003", name1: "Odd", status: "P" });
    scene.erp.insertCustomer({ customer_no: "10004", name1: "Old", deleted: 1 });
    await scene.edit((sync) => sync.replace(", P: Prospect", ""));
    for (const stream of ["customers", "contacts", "tickets", "orders"]) {
      const { code, stderr } = await peek(stream, "--rows", "10");
      expect([code, stderr]).toEqual([stream === "customers" ? 1 : 0, expect.stringContaining("real rows: --mask")]);
    }
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const ran = await scene.run("test");
    expect([ran.stdout, ran.code]).toEqual(["7 cases: 7 passed, 0 failed\n", 0]);
    const text = await saved();
    expect(text).toContain("parked: customers.customerStatus");
    expect(text).toContain("deleted: set");
    expect(text).toMatch(/bound:\n {2}customers:\n {4}"10001": 1\n {2}tickets:\n {4}T-1: 1\ncases:/);

    // The sample's table of states knows P again.
    await scene.edit((sync) => sync.replace("name1 & ' ' & name2", "name1"));
    const failed = await scene.run("test");
    expect(failed.stdout).toMatch(/^FAILED {2}.*sync\.test\.yaml:\d+ customers\/10001$/m);
    expect(failed.stdout).toContain('  - name: "Muster AG"\n  + name: "Muster"\n');
    expect(failed.stdout).toContain("expected parked: customers.customerStatus\n");
    expect(failed.stdout).toContain("7 cases: 5 passed, 2 failed");
  });

  it("adds to a file of cases, and changes nothing that is in it", async () => {
    const before = await readFile("config/sample/sync.test.yaml", "utf8");
    await writeFile(file, before);
    await writeFile(`${file}.new`, "a file of a person");
    await chmod(file, 0o640);
    expect((await peek("customers")).stderr).toContain(`Saved 2 cases to ${file}. "svcsync test ${file}" runs them.`);
    expect((await stat(file)).mode & 0o777).toBe(0o640);
    expect(await readFile(`${file}.new`, "utf8")).toBe("a file of a person");
    const text = await saved();
    for (const line of before.split("\n")) expect(text.replace("[ 31 ]", "[31]")).toContain(line.trim());
    expect((await scene.run("test")).stdout).toBe("8 cases: 8 passed, 0 failed\n");

    await writeFile(
      file,
      text.replace(
        'fields:\n        customerId: "10001"\n        shortName',
        'fields:\n        customerId: "10001"\n        # mine\n        shortName',
      ),
    );
    const mine = await saved();
    scene.erp.insertCustomer({ customer_no: "10003", name1: "New" });
    scene.erp.renameCustomer("10001", "Renamed");
    expect((await peek("customers")).stderr).toContain("Saved 1 case");
    expect((await peek("customers")).stderr).toContain("Saved 0 cases");
    expect((await saved()).startsWith(mine.trimEnd())).toBe(true);
    expect((await scene.run("test")).code).toBe(0);
  });

  it.each([
    ["a sync file", "sources: {}\nstreams: {}\n"],
    ["no YAML", "cases: ["],
    ["some text", "hello\n"],
  ])("refuses %s, and leaves it as it is", async (_, text) => {
    await writeFile(file, text);
    const { code, stderr } = await peek("customers");
    expect(stderr).toContain("(E_TEST_FILE)");
    expect(code).toBe(78);
    expect(await saved()).toBe(text);
  });

  it("refuses a folder that is not there, and rows that YAML would change", async () => {
    expect((await scene.run("peek", "customers", "--save", join(scene.folder, "no", "x.yaml"))).stderr).toContain(
      "cannot be written (ENOENT): nothing was saved",
    );
    scene.erp.insertCustomer({ customer_no: "10003", name1: "a\rb\u2028c\u0085 \t\u0001 # ' \" : - " });
    expect((await peek("customers")).code).toBe(0);
    expect((await scene.run("test")).stdout).toContain("3 cases: 3 passed");
  });
});

/** The row about Anna as a masked peek shows it. */
async function rowOf(stream: string, on = scene) {
  const { stdout } = await on.run("peek", stream, "--rows", "9", "--mask", "--json");
  const rows = stdout
    .trim()
    .split("\n")
    .map((line): { change: { key: string; row: Record<string, string> } } => JSON.parse(line));
  return rows.find(({ change }) => change.key === (stream === "customers" ? "10009" : "10001|2"))?.change.row;
}

const numbers = (text: string, pattern: RegExp) => Array.from(text.matchAll(pattern), ([, number]) => Number(number));

describe("peek --mask", () => {
  const people = ["Anna", "Ünal", "anna@", "unal.example", "49 211", "0211", "Pump", "Muster", "leaks", "call her"];

  beforeEach(() => {
    scene.erp.insertContact({
      customer_no: "10001",
      contact_no: 2,
      first_name: "Anna",
      last_name: "Ünal",
      email: "anna@unal.example",
      phone: "+49 211 4711",
      notes: "call her at 0211 4712",
    });
    scene.erp.insertCustomer({
      customer_no: "10009",
      name1: "Anna",
      name2: "Ünal",
      email_domain: "@unal.example",
      remarks: "since 1980",
    });
  });

  it("leaves nothing of the personal values in the file, and the cases pass", async () => {
    const shown = [];
    for (const stream of ["customers", "contacts", "tickets"]) shown.push(await peek(stream, "--rows", "9", "--mask"));
    const text = await saved();
    for (const piece of people) expect(text.toLowerCase()).not.toContain(piece.toLowerCase());
    for (const piece of people) expect(shown.map(({ stdout }) => stdout).join("")).not.toContain(piece);
    // What links and decides is as it was.
    for (const kept of ["10001", "T-1", "customer_no:", "contacts/10001|2"]) expect(text).toContain(kept);
    expect(text).not.toContain("updated_at");
    expect(text).toMatch(/email: [a-z]+@[a-z]+\.example\n/);
    expect((await scene.run("test")).stdout).toBe("6 cases: 6 passed, 0 failed\n");
    expect(shown[1]?.stderr).toContain("Masked: first_name, last_name, email, phone, mobile, notes.\n");
    expect(shown[1]?.stderr).toMatch(/^Kept: customer_no, gender, deleted\.$/m);
    expect(shown[1]?.stderr).toMatch(/^Left out, .*contact_no, updated_at\.$/m);
  });

  it("gives the same value the same mask, in every stream and run of this store, and another elsewhere", async () => {
    const [customer, contact] = [await rowOf("customers"), await rowOf("contacts")];
    expect(customer?.["name1"]).toMatch(/^[A-Z][a-z]{3}$/);
    expect([contact?.["first_name"], contact?.["last_name"]]).toEqual([customer?.["name1"], customer?.["name2"]]);
    expect(await rowOf("contacts")).toEqual(contact);
    await using other = await openScene();
    other.erp.insertCustomer({ customer_no: "10009", name1: "Anna", name2: "Ünal" });
    expect(await rowOf("customers", other)).not.toMatchObject({ name2: customer?.["name2"] });
  });

  it("masks and keeps the columns that are named, and refuses names that there are not", async () => {
    const chosen = await peek(
      "contacts",
      "--rows",
      "9",
      "--mask",
      "--mask-columns",
      "gender,contact_no",
      "--keep-columns",
      "notes",
    );
    expect(chosen.stderr).toContain("Masked: contact_no, first_name, last_name, email, phone, mobile, gender.\n");
    expect(await saved()).toContain("call her at 0211 4712");
    // One of nine may meet its own number by chance.
    expect(numbers(await saved(), /contact_no: (\d+)/g)).not.toEqual(
      numbers(await saved(), /name: contacts\/\d+\|(\d+)/g),
    );
    expect((await scene.run("test")).code).toBe(0);
    const strange = await peek("contacts", "--mask", "--keep-columns", "emial");
    expect([strange.code, strange.stderr]).toEqual([
      64,
      expect.stringContaining('no column "emial"; it has customer_no'),
    ]);
    const alone = await peek("contacts", "--keep-columns", "email");
    expect([alone.code, alone.stderr]).toEqual([64, expect.stringContaining("add --mask")]);
  });
});
