import { describe, expect, it } from "vitest";
import { ParkError, type JsonObject } from "#model";
import { checkMail } from "../../src/cli/check/check-mail.ts";
import type { StreamSample } from "../../src/cli/check/sample.ts";
import { never } from "../kit/outcome.ts";
import { streamsOf } from "../pipeline/delivery-rig.ts";

const streams = streamsOf(
  JSON.stringify({
    sources: { erp: { adapter: "sql", url: "sqlite:erp.db" } },
    streams: {
      tickets: {
        source: "erp",
        read: { table: "t", key: "k" },
        resource: "ticket",
        fields: { ticketStatus: "status" },
      },
      orders: {
        source: "erp",
        read: { table: "t", key: "k" },
        resource: "svcDocument",
        fields: { sendMessage: "send" },
      },
      names: { source: "erp", read: { table: "t", key: "k" }, resource: "department", fields: { name: "name" } },
    },
  }),
);

/** The messages of the findings, with what the statuses and the first rows hold. */
async function found(statuses: () => Promise<JsonObject[]>, sends: readonly boolean[] = []): Promise<string[]> {
  const records = sends.map((value, at) => ({
    key: String(at),
    fields: [{ name: "sendMessage", own: "always", value: { kind: "value", value } } as const],
  }));
  const sample: StreamSample = { stream: streams[1]!, rows: [], records, deletionFields: [] };
  const service = {
    async *list() {
      yield await statuses();
    },
  };
  const findings = await checkMail(streams, new Map([["orders", sample]]), service, never);
  return findings.map(({ subject, verdict, message }) => `${verdict} ${subject}: ${message}`);
}

const mails = () => Promise.resolve(["Done", "Closed"].map((name, id) => ({ id, name, sendCustomerMail: true })));
const refused = () => Promise.reject(new ParkError("E_SERVICE_REFUSED", "403"));
const quiet = () => Promise.resolve([{ id: 1, name: "Open", sendCustomerMail: false }]);

describe("the mail that check warns of", () => {
  it("is named by its statuses and fields", async () => {
    expect(await found(mails, [false, true])).toEqual([
      "warning stream tickets, mail: ticketStatus: these statuses make the service send mail to the customer (sendCustomerMail): Done, Closed",
      "warning stream orders, mail: sendMessage: true makes the service send a message to the customer",
    ]);
  });

  it("is not known where the user may not read the statuses", async () => {
    expect(await found(refused, [false])).toEqual([expect.stringContaining("cannot be known")]);
  });

  it("is none where no status sends it and no row asks for it", async () => {
    expect(await found(quiet, [false, false])).toEqual([]);
    expect(await found(quiet)).toEqual([expect.stringContaining("sendMessage")]);
  });
});
