import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { only, sent, setStage, texts, until, untilState, writeRequests } from "./stage.ts";

const ID = { stream: "customers", key: "1" };
const erna = {
  customer_no: "1",
  name1: "Erna",
  name2: "Mustermann",
  email_domain: "@mustermann.example",
  short_name: "EM",
};

it("forgets a record beside a daemon: no trace is left, nothing is written for it, and it comes back on its binding", async () => {
  await using stage = await setStage();
  stage.erp.insertCustomer(erna);
  stage.erp.insertContact({ customer_no: "1", contact_no: 1, first_name: "Otto", last_name: "Weber" });
  let serviceId = 0;
  {
    await using running = await stage.start();
    await until("both are there", () => texts(stage.sandbox, "customerContact", "name").includes("Otto Weber"));
    await untilState(running.store, "applied", ID);
    serviceId = only(stage.sandbox, "customer", "customerId", "1").id;

    const unasked = await stage.command("forget", "customers/1");
    expect([unasked.code, unasked.stderr]).toEqual([64, expect.stringContaining("add --yes")]);
    expect((await stage.command("forget", "customers/2", "--yes")).stderr).toContain("E_RECORD_UNKNOWN");
    stage.erp.deleteRow("customers", ["1"]);
    const { code, stdout } = await stage.command(
      "forget",
      "customers/1",
      "--yes",
      "--why",
      "request 17",
      "--as",
      "anna",
    );
    expect(code).toBe(0);
    expect(stdout).toContain(`Forgot customers/1; it stays bound to customer ${serviceId}.\n`);
    expect(stdout).toContain("Backups made before now: delete them");
    expect(stdout).toContain("1 record that refers to it (contacts/1|1): forget it with a separate command.");
    expect(await traces(stage.dataDir)).toEqual([]);
    const explained = await stage.command("explain", "customers/1");
    expect(explained.stdout).toContain("Row in the ERP: its contents were forgotten at a person's request.");
    expect(explained.stdout).toContain(`forget customer ${serviceId}: forgotten, by anna`);
    expect(explained.stdout).toContain("request 17");
    const page = await (await fetch(new URL("/records/customers/1", running.daemon.url))).text();
    expect(page).toContain("was forgotten at a person");
    expect(page).not.toContain("E_MAPPING");
  }
  // Another mapping makes every record due.
  await stage.edit((text) => text.replace("shortName: short_name", "shortName: { expr: \"short_name & '!'\" }"));
  const writes = writeRequests(stage.sandbox);
  expect((await stage.command("plan", "customers", "--record", "customers/1")).stdout).toContain("forgotten");
  await using running = await stage.start();
  await until("it is left out", () => running.log.text.includes('"outcome":"skipped"'));
  await untilState(running.store, "skipped", ID);
  expect(writeRequests(stage.sandbox)).toBe(writes);

  stage.erp.insertCustomer({ ...erna, name1: "N.", name2: "N.", short_name: "EM" });
  await untilState(running.store, "applied", ID);
  expect(texts(stage.sandbox, "customer", "customerId")).toEqual(["1"]);
  // What the service holds already is not sent again.
  expect(sent(stage.sandbox, "customer", "edit")).toEqual([{ name: "N. N.", shortName: "EM!" }]);
  expect(await running.store.record(ID)).toMatchObject({ binding: { serviceId } });
});

it("forgets by the page's API too, and a record of a stream that is no longer in the sync file", async () => {
  await using stage = await setStage();
  stage.erp.insertCustomer(erna);
  stage.erp.insertTicket({ ticket_no: "T-1", customer_no: "1", subject: "Call Erna" });
  {
    await using running = await stage.start();
    await untilState(running.store, "applied", ID, { stream: "tickets", key: "T-1" });
    stage.erp.deleteRow("customers", ["1"]);
    const act = (body: object) =>
      fetch(new URL("/api/records/customers/1/forget", running.daemon.url), {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
    expect([(await act({})).status, (await act({ why: "request 17" })).status]).toEqual([409, 409]);
    expect(await running.store.record(ID)).toMatchObject({ row: { name1: "Erna" } });
    const done = await act({ why: "request 17", confirm: "yes" });
    expect(await done.json()).toMatchObject({ record: "customers/1", done: "forget" });
    expect(await running.store.audit({ id: ID, limit: 1 })).toMatchObject([
      { action: "forget", by: { via: "api", why: "request 17" } },
    ]);
  }
  await stage.edit((text) => text.replace(/^ {2}tickets:[^]*?(?=^ {2}\w+:)/m, "").replace(/^ +ticket: .*$/m, ""));
  expect(await traces(stage.dataDir)).not.toEqual([]);
  const { code, stderr } = await stage.command("forget", "tickets/T-1", "--yes");
  expect([stderr, code]).toEqual(["", 0]);
  expect(await traces(stage.dataDir)).toEqual([]);
});

/** The files of the folder that hold a piece of the personal data. */
async function traces(folder: string): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const bytes = await readFile(join(entry.parentPath, entry.name));
    if (/erna|mustermann/i.test(bytes.toString("latin1"))) found.push(entry.name);
  }
  return found;
}
