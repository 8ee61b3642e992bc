import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { only, sent, setStage, until, untilState, type Stage } from "./stage.ts";

const syncFile = `
sources:
  erp: { adapter: files, folder: "\${ERP_FOLDER}", timezone: UTC }
streams:
  customers:
    source: erp
    read: { files: "customers*.csv", format: csv, key: [no], ready: atOnce, kind: full, numbers: [discount] }
    resource: customer
    match: [customerId]
    fields:
      customerId: no
      name: name
      info: discount
      customerStatus: { lookup: customerStatus, by: name, value: { const: Active } }
    deleted: { delete: true }
`;
const header = "no;name;discount\n";
const odd = { stream: "customers", key: "10002" };

/** A folder in which an ERP drops files, on a stage. */
async function dropStage(): Promise<Stage & { drop: (content: string) => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), "svcsync-drop-"));
  const stage = await setStage({ syncFile, environment: { ERP_FOLDER: folder } });
  let files = 0;
  return {
    ...stage,
    drop: (content) => writeFile(join(folder, `customers_${++files}.csv`), header + content),
    async [Symbol.asyncDispose]() {
      await stage[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

describe("a row of the ERP that cannot be read", () => {
  it("is shown with its place, its reason and what to do by records, explain and the page, until it can be read", async () => {
    await using stage = await dropStage();
    await stage.drop("10001;Eins;1\n10002;Zwei;2\n");
    await using running = await stage.start();
    await untilState(running.store, "applied", odd);
    await stage.drop("10001;Eins neu;1\n10002;Zwei neu;viel\n");
    await untilState(running.store, "parked", odd);
    await until(
      "the row beside it was delivered",
      () => only(stage.sandbox, "customer", "customerId", "10001")["name"] === "Eins neu",
    );

    const reason = "the ERP's row cannot be read: customers_2.csv:3: discount holds no number with the decimal sign .";
    const records = await stage.command("records");
    expect(records.stdout).toContain("1 customers parked (E_ROW_UNREADABLE)");
    expect(records.stdout).toContain(reason);
    expect(records.stdout).toContain("-> Correct the row in the ERP; the next poll reads it again.");

    const explained = await stage.command("explain", "customers/10002");
    expect(explained.stdout).toContain(`Reason: ${reason} (E_ROW_UNREADABLE).`);
    expect(explained.stdout).toContain("What to do: Correct the row in the ERP; the next poll reads it again.");
    expect(explained.stdout).toContain('Last readable row of the ERP:\n  no: "10002"\n  name: "Zwei"');

    const page = await fetch(`${running.daemon.url}/records/customers/10002`).then((response) => response.text());
    expect(page).toContain("E_ROW_UNREADABLE");
    expect(page).toContain("customers_2.csv:3: discount holds no number");
    expect(page).toContain("Correct the row in the ERP");
    expect(page).toContain("Its latest row cannot be read; this is the last one that could be.");
    expect(await fetch(`${running.daemon.url}/`).then((response) => response.text())).toContain("customers/10002");

    await stage.drop("10001;Eins neu;1\n10002;Zwei neu;3\n");
    await untilState(running.store, "applied", odd);
    expect(sent(stage.sandbox, "customer", "edit")).toContainEqual({ name: "Zwei neu", info: "3" });
    expect((await stage.command("records")).stdout).toContain("No record is parked or uncertain.");
  });

  it("is shown without a row when it could never be read", async () => {
    await using stage = await dropStage();
    await stage.drop("10001;Eins;1\n10002;Zwei;viel\n");
    expect((await stage.command("sync")).code).toBe(1);
    const { stdout } = await stage.command("explain", "customers/10002");
    expect(stdout).toContain("customers/10002 is parked, not bound.");
    expect(stdout).toContain("Last readable row of the ERP:\n  it never could\n");
  });
});

describe("a line of a full file without a readable key", () => {
  it("holds deletions back and is named by status, until a file comes without such a line", async () => {
    await using stage = await dropStage();
    await stage.drop("10001;Eins;1\n10002;Zwei;2\n");
    await using running = await stage.start();
    await untilState(running.store, "applied", odd);
    await stage.drop("10001;Eins;1\n10002\n");
    await until("the sweep held the deletion back", () => running.log.text.includes("deletions were held back"));
    const { stdout } = await stage.command("status");
    expect(stdout).toContain(
      "rows are left out, and the stream deletes nothing: customers_2.csv:3: it has 1 columns, the header has 3",
    );
    expect(stdout).not.toContain("E_SOURCE_FILE_SHRUNK");
    expect(stage.sandbox.records("customer")).toHaveLength(2);
    await stage.drop("10001;Eins;1\n10003;Drei;3\n");
    await untilState(running.store, "deleted", odd);
    expect(stage.sandbox.records("customer").map(({ customerId }) => customerId)).toEqual(["10001", "10003"]);
  });
});
