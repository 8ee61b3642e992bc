import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "#model";
import type { StoredRecord } from "#sandbox";
import { only, sent, setStage, untilHeld, untilState, writeRequests, type Stage } from "./stage.ts";

const key = (at: number) => String(20_000 + at);

/** The customers that the ERP does not know. */
function strangers({ sandbox }: Stage): StoredRecord[] {
  return sandbox
    .records("customer")
    .filter(({ customerId }) => typeof customerId === "string" && customerId.startsWith("X"));
}

/**
 * A service that has been typed into for years: 2,000 customers, of which 100 are the ERP's as they are, 50 are the ERP's
 * with another name, 20 of the ERP's are there twice, and the rest is unknown to the ERP, which has 130 more of its own.
 */
async function grownService(): Promise<Stage> {
  const stage = await setStage();
  const { erp, sandbox } = stage;
  const customerStatus = only(sandbox, "customerStatus", "name", "Active").id;
  const seeds: JsonObject[] = [];
  const seed = (customerId: string, name: string) => seeds.push({ customerId, name, customerStatus, inhouse: true });
  for (let at = 0; at < 300; at++) {
    erp.insertCustomer({ customer_no: key(at), name1: `Kunde ${at}` });
    if (at < 100) seed(key(at), `Kunde ${at}`);
    else if (at < 150) seed(key(at), `Von Hand ${at}`);
    else if (at < 170) {
      seed(key(at), `Kunde ${at}`);
      seed(key(at), `Kunde ${at} (alt)`);
    }
  }
  for (let at = seeds.length; at < 2_000; at++) seed(`X${at}`, `Fremd ${at}`);
  sandbox.seed("customer", seeds);
  return stage;
}

describe("a first run into a service that is in use", () => {
  it("writes nothing until a person has decided, then binds, creates and parks as it said it would", async () => {
    await using stage = await grownService();
    const { sandbox } = stage;
    const before = strangers(stage);
    const held = await stage.command("sync");
    expect(held.code).toBe(1);
    expect(held.stderr).toContain("customer already holds 2,000 records that svcsync does not know");
    expect((await stage.command("status")).stdout).toContain('"svcsync adopt customers"');

    const csv = join(stage.folder, "plan.csv");
    const plan = await stage.command("adopt", "customers", "--csv", csv);
    expect(plan.code).toBe(1);
    expect(
      plan.stdout
        .split("\n")
        .slice(0, 2)
        .map((line) => line.trim().split(/\s{2,}/)),
    ).toEqual([
      ["stream", "bound", "matched", "deleted", "new", "ambiguous", "left out", "unclear", "only in the service"],
      ["customers", "0", "150", "0", "130", "20", "0", "0", "1,850"],
    ]);
    expect(plan.stdout).toContain("Nothing was written.");
    expect(plan.stdout).toContain('If that is right: "svcsync adopt customers --confirm"');
    const twins =
      /ambiguous: customers\/20150 \("Kunde 150", customerId 20150\) could be \d+ \("Kunde 150", customerId 20150\) or \d+ \("Kunde 150 \(alt\)", customerId 20150\)/;
    expect(plan.stdout).toMatch(twins);
    const byHand = (await readFile(csv, "utf8")).split("\r\n").find((line) => line.includes('"20100"'));
    expect(byHand).toContain('"Kunde 100","customerId 20100","Von Hand 100","customerId 20100"');
    expect(byHand).toContain('name: ""Von Hand 100"" -> ""Kunde 100""');
    expect(writeRequests(sandbox)).toBe(0);

    // A person chooses the first of two for every other ambiguous record.
    const lines = (await readFile(csv, "utf8")).split("\r\n");
    expect(lines).toHaveLength(1 + 300 + 1_850 + 1);
    const chosen = new Map<string, number>();
    const edited = lines.map((line) => {
      const [stream, customerNo, verdict, , candidates] = line.slice(1, -1).split('","');
      if (verdict !== "ambiguous" || Number(customerNo) % 2 === 1) return line;
      const serviceId = candidates!.split(" ")[0]!;
      chosen.set(customerNo!, Number(serviceId));
      return [stream, customerNo, verdict, serviceId, candidates, ""].join(";");
    });
    expect(chosen.size).toBe(10);
    // Saved by a spreadsheet that separates by semicolons and quotes only where it must.
    expect(plan.stdout).toContain(`The whole list is in ${csv}.`);
    await writeFile(csv, edited.map((line) => line.replaceAll('","', ";").replaceAll('"', "")).join("\r\n"));
    const lost = await stage.command("adopt", "customers", "--csv", csv);
    expect([lost.code, lost.stderr]).toEqual([
      64,
      expect.stringContaining("Choose another name. Nothing was written."),
    ]);
    const answered = await stage.command("adopt", "customers", "--answers", csv);
    expect(answered.stdout).toMatch(/customers +10 +150 +0 +130 +10 /);
    expect(writeRequests(sandbox)).toBe(0);

    const confirmed = await stage.command("adopt", "customers", "--confirm");
    expect(confirmed.stdout).toContain("Decided: customers may deliver.");
    expect((await stage.command("adopt", "customers")).stdout).toContain("No stream waits for adoption");
    const done = await stage.command("sync");
    expect(done.code).toBe(1);
    const created = sent(sandbox, "customer", "create").map((body) => body["customerId"]);
    expect(new Set(created)).toEqual(new Set(Array.from({ length: 130 }, (_, at) => key(170 + at))));
    expect(created).toHaveLength(130);
    const edits = sent(sandbox, "customer", "edit");
    expect(edits.filter((body) => Object.keys(body).join() !== "name")).toEqual([]);
    const old = sandbox.ledger.writes({ resource: "customer", action: "seed" }).filter(({ record }) => {
      const name = record!["name"];
      return typeof name === "string" && name.endsWith("(alt)") && [...chosen.values()].includes(record!.id);
    });
    expect(edits).toHaveLength(50 + old.length);

    await using store = await stage.store();
    const views = await store.records({ stream: "customers", limit: 1_000 });
    const parked = views.filter(({ state }) => state === "parked");
    expect(parked).toHaveLength(10);
    for (const { error } of parked) {
      expect(error!.code).toBe("E_MATCH_AMBIGUOUS");
      expect(error!.details["candidates"]).toHaveLength(2);
    }
    expect(views.filter(({ state }) => state === "applied")).toHaveLength(290);
    for (const [customerNo, serviceId] of chosen)
      expect(views.find(({ id }) => id.key === customerNo)!.binding!.serviceId).toBe(serviceId);
    expect(sandbox.records("customer")).toHaveLength(2_130);
    expect(strangers(stage)).toEqual(before);
  });

  it("goes on in a running daemon by itself once a person has decided, whatever else was held", async () => {
    await using stage = await setStage();
    const { erp, sandbox } = stage;
    const customerStatus = only(sandbox, "customerStatus", "name", "Active").id;
    sandbox.seed("customer", [{ customerId: "10001", name: "Alt GmbH", customerStatus }]);
    erp.insertCustomer({ customer_no: "10001", name1: "Alt GmbH" });
    erp.insertContact({ customer_no: "10001", contact_no: 1 });
    await using running = await stage.start();
    await untilHeld(running.store, "customers");
    await untilState(running.store, "waiting", { stream: "contacts", key: "10001|1" });
    await stage.command("adopt", "customers", "--confirm");
    await untilState(
      running.store,
      "applied",
      { stream: "customers", key: "10001" },
      { stream: "contacts", key: "10001|1" },
    );
    expect(sandbox.records("customer")).toHaveLength(1);
    expect(sandbox.ledger.count({ method: "PUT" })).toBe(0);
  });
});

describe("a record that several of the service answer to", () => {
  it("is created beside them when a person says so with `resolve --create`", async () => {
    await using stage = await setStage();
    const { erp, sandbox } = stage;
    erp.insertCustomer({ customer_no: "10001" });
    sandbox.seed("customer", [{ customerId: "10001" }, { customerId: "10001" }]);
    expect((await stage.command("sync")).code).toBe(1);
    expect((await stage.command("adopt", "--confirm")).code).toBe(0);
    expect((await stage.command("sync")).code).toBe(1);
    const id = { stream: "customers", key: "10001" };
    expect((await stage.view(id))!.error!.code).toBe("E_MATCH_AMBIGUOUS");
    expect((await stage.command("resolve", "customers/10001", "--create")).code).toBe(0);
    expect((await stage.command("sync")).code).toBe(0);
    expect((await stage.view(id))!.state).toBe("applied");
    expect(sandbox.records("customer")).toHaveLength(3);
  });
});
