import Database from "better-sqlite3";
import { beforeAll, describe, expect, it } from "vitest";
import type { Sandbox } from "#sandbox";
import { RETURNS } from "./returning.ts";
import { setStage, shippedSyncFile, until, untilState, type Stage } from "./stage.ts";

interface Head {
  readonly return_id: string;
  readonly kind: string;
  readonly version: number;
  readonly order_no: string;
  readonly customer_no: string;
}

let syncFile: string;
beforeAll(async () => {
  syncFile = `${await shippedSyncFile()}${RETURNS}`;
});

/** An ERP with an inbox, one customer in both systems, and a running daemon. */
async function setLane(): Promise<Stage & { readonly erpFile: Database.Database }> {
  const stage = await setStage({ syncFile, environment: { POLL_INTERVAL_SECONDS: "1" } });
  const ddl = await stage.command("returns", "ddl", "--dialect", "sqlite");
  expect(ddl).toMatchObject({ code: 0, stderr: "" });
  const erpFile = new Database(stage.erp.path);
  erpFile.exec(ddl.stdout);
  stage.erp.insertCustomer({ customer_no: "K-1", name1: "Huber GmbH" });
  return {
    ...stage,
    erpFile,
    async [Symbol.asyncDispose]() {
      erpFile.close();
      await stage[Symbol.asyncDispose]();
    },
  };
}

const customerIn = (sandbox: Sandbox) => sandbox.records("customer").find(({ customerId }) => customerId === "K-1")!.id;
const heads = (erpFile: Database.Database) =>
  erpFile.prepare<[], Head>("SELECT * FROM svcsync_returns ORDER BY written_at, version").all();

describe("approved work", () => {
  it("comes into the ERP's inbox with its lines, is answered there, and its number gets into the invoice", async () => {
    await using stage = await setLane();
    const { sandbox, erpFile } = stage;
    await using running = await stage.start();
    await untilState(running.store, "applied", { stream: "customers", key: "K-1" });
    await until("the lane is switched on", () => running.store.returns.mark("reports"));
    const { id } = sandbox.people.approvedReport({ customer: customerIn(sandbox), erpReferenceNumber: "A-100" });
    const [head] = await until("the report is in the inbox", () => heads(erpFile).length > 0 && heads(erpFile));
    expect(head).toMatchObject({ kind: "fact", version: 1, order_no: "A-100", customer_no: "K-1" });
    const lines = erpFile
      .prepare<[string], { line_kind: string; amount: string; staff_no: string | null; article: string | null }>(
        "SELECT * FROM svcsync_return_lines WHERE return_id = ? ORDER BY line_no",
      )
      .all(head!.return_id);
    expect(lines.map(({ line_kind, amount }) => [line_kind, Number(amount)])).toEqual([
      ["time", 1.67],
      ["time", 0.58],
      ["material", 2],
      ["travel", 31.4],
    ]);
    expect(lines.every(({ staff_no, article }) => staff_no !== null || article !== null)).toBe(true);

    erpFile
      .prepare("INSERT INTO svcsync_answers (return_id, result, document, answered_at) VALUES (?, 'ok', 'RE-1', ?)")
      .run(head!.return_id, new Date().toISOString());
    const invoice = await until("the invoice has the ERP's number", () =>
      sandbox.records("invoice").find(({ svcDocument, status }) => svcDocument === id && status === "INVOICED"),
    );
    expect(invoice["invoiceNumber"]).toBe("RE-1");
    await until("that is written down", async () => {
      const [item] = await running.store.returns.find({ stream: "reports", limit: 1 });
      return item?.following === "done";
    });
    expect((await stage.command("returns")).code).toBe(0);
    expect((await stage.command("returns", "show", `reports/${id}`)).stdout).toContain("RE-1");
  });

  it("that is taken back waits for a person, who sends the cancellation", async () => {
    await using stage = await setLane();
    const { sandbox, erpFile } = stage;
    await using running = await stage.start();
    await untilState(running.store, "applied", { stream: "customers", key: "K-1" });
    await until("the lane is switched on", () => running.store.returns.mark("reports"));
    const { id } = sandbox.people.approvedReport({ customer: customerIn(sandbox), erpReferenceNumber: "A-100" });
    await until("the report is in the inbox", () => heads(erpFile).length === 1);
    const plan = await stage.command("returns", "plan", "reports", "--since", "2020-01-01 00:00", "--json");
    expect(plan).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(plan.stdout)).toMatchObject({ subject: String(id), content: { fields: { order_no: "A-100" } } });
    sandbox.people.takeBack(id);
    await until("the cancellation waits", async () => {
      const [held] = await running.store.returns.find({ stream: "reports", states: ["held"], limit: 1 });
      return held?.kind === "cancelled" && held.error?.code === "E_RETURN_CORRECTION";
    });
    expect((await stage.command("returns")).stdout).toContain("held");
    const sent = await stage.command("returns", "send", `reports/${id}/2`);
    expect(sent).toMatchObject({ code: 0 });
    await until("the ERP has it", () => heads(erpFile).at(-1)?.kind === "cancelled");
    expect(heads(erpFile)).toHaveLength(2);
  });
});
