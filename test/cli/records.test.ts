import { describe, expect, it } from "vitest";
import { customersStream } from "../setup/customers-stream.ts";
import { setStage } from "../journeys/stage.ts";

describe("svcsync records", () => {
  it("names a command for the records of a cause alone, beside one for all with its error", async () => {
    const syncFile = `
sources: { erp: { adapter: sql, url: "\${ERP_URL}" } }
streams:
${customersStream("status")}`;
    await using stage = await setStage({ syncFile });
    for (const customer_no of ["10001", "10002"]) stage.erp.insertCustomer({ customer_no, status: "P" });
    for (const customer_no of ["10003", "10004", "10005"]) stage.erp.insertCustomer({ customer_no, status: "I" });
    await stage.command("sync");

    const { stdout } = await stage.command("records");
    const ofCause = [...stdout.matchAll(/-> all of them: "svcsync (.*)"/g)].map(([, words]) => words!.split(" "));
    expect(ofCause).toHaveLength(2);
    const due = await Promise.all(ofCause.map((words) => stage.command(...words, "--json")));
    expect(due.map(({ stdout: line }) => JSON.parse(line))).toEqual([{ due: 3 }, { due: 2 }]);
    expect(
      stdout.match(/-> all of customers with E_\w+, whatever the cause: "svcsync retry customers --code/g),
    ).toHaveLength(2);
  });
});
