import { describe, expect, it } from "vitest";
import type { StatusSource } from "#web";
import { compared, sampleDeletions, samplePlan } from "./sample-decisions.ts";
import { sampleStatus, sampleStreams } from "./sample-status.ts";
import { formOf, sampleWeb } from "./web-server.ts";

async function pageOf(path: string, facts: Partial<StatusSource> = {}, access = {}) {
  await using web = await sampleWeb({ status: { ...sampleStatus(), ...facts }, access });
  const response = await fetch(web.url + path);
  return { status: response.status, text: await response.text() };
}

const everybodyReads = { token: "a-token-of-the-page", isPublic: true };

describe("the page of a held plan", () => {
  it("shows counts per record and field, old and new values, and confirms this plan alone", async () => {
    const { text } = await pageOf("/streams/customers/plan");

    expect(text).toContain("3,980 of 4,120 records, more than the change guard allows");
    for (const part of [
      "3,980</strong> updated",
      "2</strong> created",
      "1</strong> parked",
      "no customerStatus is called",
    ])
      expect(text).toContain(part);
    expect(text).toMatch(/customerStatus<\/th>\s*<td class="number">12/);
    expect(text).toContain("Müller &amp; Söhne AG");
    expect(text).toContain("the id of customerStatus &quot;&lt;b&gt;Aktiv&lt;/b&gt;&quot;");
    expect(text).toContain(`<input type="hidden" name="plan" value="${samplePlan.plan}" />`);
  });

  it("says of deletions that set fields that the records stay", async () => {
    const fields = [{ field: "customerStatus", before: 1, after: 2 }];
    const gone = { id: { stream: "customers", key: "10009" }, verdict: "delete", isDelivered: true, fields } as const;
    const plan = { ...samplePlan, verdicts: { ...samplePlan.verdicts, delete: 7 }, samples: [gone] };
    const { text } = await pageOf("/streams/customers/plan", { plan: async () => ({ plan, at: 0 }) });
    expect(text).toContain("7</strong> deleted in the ERP (fields are set, the records stay)");
    expect(text).toContain("<td>set fields of</td>");
  });

  it("says of a mass change whose updates wait, and what to do if it is not meant", async () => {
    const plan = { ...samplePlan, isMappingChanged: false, massHeld: 3_100 };
    const { text } = await pageOf("/streams/customers/plan", { plan: async () => ({ plan, at: 0 }) });
    expect(text).toContain("the ERP changed many records at once, and 3,100 of 4,120 records would be updated");
    expect(text).toContain("Write 3,100 updates");
    expect(text).toContain("If not, correct the ERP: the hold ends when it shows the old values again");
    expect(text).toContain(`<input type="hidden" name="plan" value="${samplePlan.plan}" />`);
    expect(text).not.toContain("correct the sync file");
  });

  it("says of a first load that the service would send mail, and where to switch it off", async () => {
    const plan = { ...samplePlan, isMappingChanged: false, mailHeld: 250 };
    const { text } = await pageOf("/streams/customers/plan", { plan: async () => ({ plan, at: 0 }) });
    expect(text).toContain("the service send mail to customers for 250 new records");
    expect(text).toContain("Write 250 new records and let the service send mail");
    expect(text).toContain("If not, switch the mail off in the service");
    expect(text).not.toContain("correct the sync file");
  });

  it("says that it is being counted, and names no plan yet", async () => {
    const { text } = await pageOf("/streams/tickets/plan");
    expect(text).toContain("are being counted");
    expect(text).not.toContain("<button>Write");
  });

  it("has no form where the stream is not held", async () => {
    const plan = { ...samplePlan, isHeld: false };
    const { text } = await pageOf("/streams/customers/plan", { plan: async () => ({ plan, at: 0 }) });
    expect(text).toContain("This is written next.");
    expect(text).not.toContain('action="/streams/customers/plan"');
  });

  it("refuses the plan of yesterday and leads to the one of now", async () => {
    const status = sampleStatus();
    await using web = await sampleWeb({ status });
    const { fields } = await formOf(`${web.url}/records/tickets/T-2`);
    const body = new URLSearchParams({ csrf: fields["csrf"]!, plan: "ffffffffffff", why: "x", confirm: "yes" });
    const path = "/streams/customers/plan";
    const refused = await fetch(web.url + path, { method: "POST", headers: { origin: web.url }, body });

    expect(refused.status).toBe(409);
    expect(await refused.text()).toMatch(/plan ffffffffffff is not what[\s\S]*href="\/streams\/customers\/plan"/);
    expect(status.retried).toEqual([]);
  });
});

describe("the page of held deletions", () => {
  it("shows how many of how many, examples to look at, and confirms as many as it shows", async () => {
    const { text } = await pageOf("/streams/customers/deletions");
    expect(text).toContain("60 of 412 records are missing in the ERP");
    expect(text).toContain('<a href="/records/customers/10019">customers/10019</a>');
    expect(text).toContain('<input type="hidden" name="count" value="60" />');
    expect((await pageOf("/streams/contacts/deletions")).text).toContain("No deletion of contacts waits");
  });

  it("tells an ERP that shows nothing any more from rows that are missing", async () => {
    const emptied = { ...sampleDeletions, count: 412, examples: [], isEmptied: true };
    const { text } = await pageOf("/streams/customers/deletions", { heldDeletions: async () => emptied });
    expect(text).toContain("The ERP no longer returns any record of customers");
  });
});

describe("the form of held deletions", () => {
  it("says that records are deleted for good", async () => {
    const { text } = await pageOf("/streams/customers/deletions");
    expect(text).toMatch(/this cannot be undone[\s\S]*<button class="danger">Delete 60 records</);
    expect(text).not.toContain("deleted: set");
  });

  it("says of a stream whose deletions set fields that the records stay", async () => {
    const held = { ...sampleDeletions, deletion: "set" } as const;
    const { text } = await pageOf("/streams/customers/deletions", { heldDeletions: async () => held });
    expect(text).toContain("the fields of deleted: set in the sync file, and stay in the service");
    expect(text).toContain('<button class="danger">Set the fields of 60 records</button>');
    expect(text).not.toMatch(/cannot be undone|Delete 60/);
  });
});

describe("the page of existing records", () => {
  it("offers to compare, and shows what matches before anything is decided", async () => {
    const before = await pageOf("/adoption");
    expect(before.text).toContain('action="/adoption/compare"');
    expect(before.text).not.toContain('action="/streams/tickets/adopt"');

    const { text } = await pageOf("/adoption", { adoption: () => compared });
    for (const part of ["150</strong> matched", "1,850</strong> only in the service", "Pump leaks (old)"])
      expect(text).toContain(part);
    expect(text).toContain("Bind 150, create 130");
    expect(text).toContain("&lt;Garantie&gt;");
    expect(text).toContain('<input type="hidden" name="decision" value="adopt" />');
  });

  it("offers no match where none can be found", async () => {
    const reports =
      compared.kind === "done" ? compared.reports.map((each) => ({ ...each, blindFields: ["extId"] })) : [];
    const { text } = await pageOf("/adoption", { adoption: () => ({ kind: "done", at: 0, reports }) });
    expect(text).toContain("none of the service&#39;s records has a value in extId");
    expect(text).not.toContain('value="adopt"');
    expect(text).toContain('value="create-all"');
  });

  it("offers to create nothing in a stream that creates nothing", async () => {
    const reports =
      compared.kind === "done"
        ? compared.reports.map((each) => ({ ...each, create: "never" as const, blindFields: ["extId"] }))
        : [];
    const { text } = await pageOf("/adoption", { adoption: () => ({ kind: "done", at: 0, reports }) });
    expect(text).toContain("leaves records out until the service has them");
    expect(text).toContain("Bind 150, create none");
    expect(text).toContain('value="adopt"');
    expect(text).not.toContain('value="create-all"');
  });

  it("says why a comparison failed, and offers another", async () => {
    const error = { code: "E_SERVICE_DOWN", message: "the service does not answer", details: {} } as const;
    const { text } = await pageOf("/adoption", { adoption: () => ({ kind: "failed", at: 0, error }) });
    expect(text).toMatch(/The comparison failed[\s\S]*the service does not answer[\s\S]*Compare again/);
  });
});

describe("decisions", () => {
  it.each([
    ["/streams/customers/plan", "If not, correct the sync file"],
    ["/streams/customers/deletions", "If they are not intended, restore the rows"],
    ["/adoption", "A login with the role <em>act</em> may decide"],
  ])("are shown to those who may only read, without a form, and with what else to do: %s", async (path, advice) => {
    const { status, text } = await pageOf(path, { adoption: () => compared }, everybodyReads);
    expect(status).toBe(200);
    expect(text).not.toContain('method="post"');
    expect(text).toMatch(/<code class="command">svcsync (plan|deletions|adopt)/);
    expect(text.replaceAll(/\s+/g, " ")).toContain(advice);
  });

  it("are JSON for scripts too", async () => {
    const plan = JSON.parse((await pageOf("/api/streams/customers/plan")).text);
    expect(plan).toMatchObject({ at: "2026-05-20T11:57:00.000Z", plan: { plan: "0a1b2c3d4e5f", updates: 3_980 } });
    expect(JSON.parse((await pageOf("/api/streams/contacts/plan")).text)).toEqual({ plan: null });
    expect(JSON.parse((await pageOf("/api/streams/customers/deletions")).text)).toMatchObject({ held: { count: 60 } });
    const adoption = JSON.parse((await pageOf("/api/adoption", { adoption: () => compared })).text);
    expect(adoption).toMatchObject({ kind: "done", reports: [{ stream: "tickets", counts: { new: 130 } }] });
    expect((await pageOf("/api/streams/nothing/plan")).status).toBe(404);
  });

  it("are led to from the stream that is held", async () => {
    const hold = { reason: "r", remedy: "m", needsPerson: true, polls: false };
    const [customers] = sampleStreams;
    const held = {
      ...customers!,
      state: "held",
      attention: ["r; m"],
      deletionsHeld: 60,
      holds: [
        { ...hold, kind: "change" },
        { ...hold, kind: "adoption" },
      ],
    } as const;
    const { text } = await pageOf("/", { overview: () => sampleStatus({ streams: [held] }).overview() });
    for (const path of ["/streams/customers/plan", "/streams/customers/deletions", "/adoption"])
      expect(text).toContain(`class="button" href="${path}"`);
  });
});
