import { describe, expect, it } from "vitest";
import { heldReturns, sampleReturnStatus } from "./sample-returns.ts";
import { sampleStatus } from "./sample-status.ts";
import { sampleWeb } from "./web-server.ts";

const textOf = async (url: string) => (await fetch(url)).text();

describe("the lane back to the ERP on the status page", () => {
  it("is absent without streams of returns", async () => {
    await using web = await sampleWeb({ status: sampleStatus() });
    expect(await textOf(web.url)).not.toContain("Back to the ERP");
  });

  it("shows the counts of each stream, and leaves the verdict alone while all is well", async () => {
    await using web = await sampleWeb({ status: sampleStatus({ streams: [], returns: [sampleReturnStatus()] }) });
    const page = await textOf(web.url);
    expect(page).toContain("Back to the ERP");
    expect(page).toContain('<a href="/returns/reports?state=accepted"');
    expect(page).toMatch(/1,204 accepted/);
    expect(page).toContain("All is well.");
  });

  it("makes what needs a person the verdict, and puts the remedy beside it", async () => {
    const status = sampleStatus({ streams: [], returns: heldReturns });
    await using web = await sampleWeb({ status });
    const page = await textOf(web.url);
    expect(page).toContain("1 stream (reports) needs attention.");
    expect(page).toContain('action="/returns/reports/release"');
    expect(page).toContain('name="count" value="120"');
    expect(JSON.parse(await textOf(`${web.url}/api/status`))).toMatchObject({
      problems: expect.arrayContaining([expect.stringContaining("reports: 120 returns at once")]),
      returns: [{ name: "reports" }, { name: "ticket-status" }],
    });
  });
});

describe("the page of a return", () => {
  it("shows what it says, what differs, and who decided, as text", async () => {
    await using web = await sampleWeb();
    const page = await textOf(`${web.url}/returns/reports/2?subject=4711`);
    expect(page).toContain("reports/4711/2");
    expect(page).toContain("1.50 (before: 1.25)");
    expect(page).toContain("Pump &lt;b&gt;repaired&lt;/b&gt;");
    expect(page).toContain('href="/returns/reports/1?subject=4711"');
    expect(page).toContain('href="/records/tickets/T-1"');
    expect(page).toContain("asked &lt;anna&gt;");
    expect(page).toContain('action="/returns/reports/2/send?subject=4711"');
    const before = await textOf(`${web.url}/returns/reports/1?subject=4711`);
    expect(before).toContain("R-2026-17");
    expect(before).not.toContain("/send?");
  });

  it("finds one whose subject no path can hold, and carries out its acts", async () => {
    const status = sampleStatus();
    await using web = await sampleWeb({ status });
    const list = await textOf(`${web.url}/returns/reports`);
    expect(list).toContain('href="/returns/reports/1?subject=..%2F4712"');
    const done = await fetch(`${web.url}/api/returns/reports/1/arrived?subject=..%2F4712`, {
      method: "POST",
      headers: { "content-type": "application/json" },
    });
    expect([done.status, await done.json()]).toEqual([200, { return: "reports/../4712/1", done: "arrived" }]);
  });

  it("answers what is not there with 404 or 400", async () => {
    await using web = await sampleWeb();
    const statusOf = async (path: string) => (await fetch(web.url + path)).status;
    expect(await statusOf("/returns/reports/9?subject=4711")).toBe(404);
    expect(await statusOf("/returns/reports/x?subject=4711")).toBe(404);
    expect(await statusOf("/returns/reports/2")).toBe(404);
    expect(await statusOf("/returns/reports?state=lost")).toBe(400);
    const held: unknown = JSON.parse(await textOf(`${web.url}/api/returns/reports?state=held`));
    expect(held).toMatchObject({ returns: [{ subject: "4711", version: 2 }] });
  });
});
