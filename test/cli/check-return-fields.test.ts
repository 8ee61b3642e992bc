import { describe, expect, it } from "vitest";
import { catalogueFacts, type Service } from "#service";
import { checkReturnFields } from "../../src/cli/check/check-return-fields.ts";
import { never } from "../kit/outcome.ts";
import { reportStream } from "../returns/tenant.ts";

const service: Pick<Service, "fields"> = {
  fields: async (resource, names) => ({ recordCount: 0, facts: catalogueFacts(resource, names) }),
};
const line = reportStream().lines[0]!;

describe("the fields that returns read", () => {
  it("are found where the service has them, in the head, in its lines, and around these", async () => {
    expect(await checkReturnFields(reportStream(), service, never)).toEqual([
      {
        subject: "returns reports",
        verdict: "ok",
        message: expect.stringMatching(/^svcDocument and its lines have the \d+ fields/),
      },
    ]);
    const state = reportStream({ name: "customer-state", kind: "state", resource: undefined, of: "customers" });
    expect(await checkReturnFields(state, service, never)).toEqual([]);
  });

  it("are each named where the service lacks them, with what was probably meant", async () => {
    const stream = reportStream({
      reads: ["erpReferenceNumbr", "customer.id"],
      lines: [{ ...line, reads: ["invoiceTme", "worker", "task.serviceTyp"] }],
    });
    const findings = await checkReturnFields(stream, service, never);
    expect(findings.map(({ subject, verdict, message }) => [subject, verdict, message])).toEqual([
      [
        "returns reports, field erpReferenceNumbr",
        "problem",
        'found "erpReferenceNumbr", expected a field of svcDocument, did you mean "erpReferenceNumber"? (E_FIELD_UNKNOWN)',
      ],
      [
        "returns reports, field serviceTyp",
        "problem",
        'found "serviceTyp", expected a field of svcDocumentTask, did you mean "serviceType"? (E_FIELD_UNKNOWN)',
      ],
      [
        "returns reports, field invoiceTme",
        "problem",
        'found "invoiceTme", expected a field of svcDocumentTaskWorkLog, did you mean "invoiceTime"? (E_FIELD_UNKNOWN)',
      ],
    ]);
    for (const { remedy } of findings) expect(remedy).toContain("under returns in the sync file");
  });

  it("are a warning where neither the catalogue nor a record proves them", async () => {
    const [finding] = await checkReturnFields(reportStream({ reads: ["zzzQuux"] }), service, never);
    expect(finding).toMatchObject({ verdict: "warning", message: expect.stringContaining("zzzQuux of svcDocument") });
  });
});
