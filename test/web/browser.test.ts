import { chromium, type Browser, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Overview } from "#web";
import { findChromium } from "../setup/chromium.ts";
import { sampleRecord, sampleStatus, sampleStreams } from "./sample-status.ts";
import { sampleWeb } from "./web-server.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await chromium.launch({
    executablePath: await findChromium(),
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
});
afterAll(() => browser.close());

/** A page that fails on surprise: whatever the browser complains about is collected. */
async function openPage(address: string): Promise<{ page: Page; complaints: string[] }> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  const complaints: string[] = [];
  page.on("console", (message) => complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  await page.goto(address);
  return { page, complaints };
}

/** What the first box of the status page says, and in which colour. */
async function verdictOf(facts: Partial<Overview>): Promise<{ text: string; colour: unknown }> {
  await using web = await sampleWeb({ status: sampleStatus(facts) });
  const { page } = await openPage(web.url);
  const colour = await page.evaluate("getComputedStyle(document.querySelector('[role=status]')).borderLeftColor");
  return { text: await page.getByRole("status").innerText(), colour };
}

describe("the status page in a browser", () => {
  it("leads from what is wrong to the record and why", async () => {
    await using web = await sampleWeb();
    const { page, complaints } = await openPage(web.url);

    expect(await page.title()).toBe("svcsync: needs attention");
    expect(await page.getByRole("status").innerText()).toContain("1 parked record");
    await page.getByRole("link", { name: "contacts/10023|7/a" }).click();
    expect(await page.getByRole("heading", { level: 1 }).innerText()).toBe("contacts/10023|7/a parked");
    expect(await page.locator("dl").innerText()).toContain('"invalid e-mail <b>address</b>"');
    expect(await page.locator("dl").innerText()).toMatch(/In doubt\s+email: sent/);
    expect(await page.getByRole("cell", { name: "<script>alert(1)</script>" }).count()).toBe(1);
    expect(complaints).toEqual([]);
  });

  it("shows each stream with its state, lag and counts, and its cursor to who asks", async () => {
    await using web = await sampleWeb();
    const { page } = await openPage(web.url);
    const row = page.getByRole("row", { name: /^contacts/ }).first();
    const text = await row.innerText();

    expect(text).toContain("erp → customerContact");
    expect(text).toMatch(/failing\s+the last poll failed; the next one tries again/);
    expect(text).toContain("lag 12 s");
    expect(text).toMatch(/1,187\s+applied/);
    expect(text).not.toContain('"stamp"');
    await row.getByText("cursor").click();
    expect(await row.innerText()).toContain('"stamp":"2026-05-20T11:59:30Z"');
  });

  it("says below each stream what a person should know or do, with the command to run", async () => {
    await using web = await sampleWeb();
    const { page } = await openPage(web.url);

    expect(await page.getByRole("status").innerText()).toContain("Look at contacts (failing), tickets (held)");
    expect(await page.getByRole("list", { name: "contacts: attention" }).innerText()).toContain("E_SOURCE_UNREACHABLE");
    const tickets = page.getByRole("list", { name: "tickets: attention" });
    expect(await tickets.getByRole("listitem").count()).toBe(2);
    expect(await tickets.locator("code.command").innerText()).toBe("svcsync adopt tickets");
    expect(await page.getByRole("list", { name: "customers: attention" }).count()).toBe(0);
  });

  it("is red where something is stuck, and amber where records flow and a person may want to look", async () => {
    const [customers] = sampleStreams;
    const attention = ["the service answers 200 to billable and does not keep it"];
    const streams = [{ ...customers!, attention, counts: { waiting: 1 } }];
    expect(await verdictOf({})).toMatchObject({ colour: "rgb(168, 32, 26)" });
    const amber = await verdictOf({ streams });
    expect(amber).toEqual({
      text: "Look at customers: what is wrong and what to do stands below each.",
      colour: "rgb(128, 87, 10)",
    });
    const { text, colour } = await verdictOf({ streams: [customers!] });
    expect([text, colour]).toEqual(["All well. Nothing is due.", "rgb(27, 110, 60)"]);
  });

  it("says a reason once, however many records have it", async () => {
    const status = sampleStatus();
    const waiting = Array.from({ length: 30 }, (_, at) =>
      sampleRecord(
        { stream: "contacts", key: `20000|${at}` },
        {
          state: "waiting",
          waitsFor: [],
          error: { code: "E_PARENT_MISSING", message: `customers/${at} is not there`, details: {} },
        },
      ),
    );
    const streams = sampleStreams
      .filter(({ name }) => name === "contacts")
      .map((stream) => ({ ...stream, counts: { waiting: 30 } }));
    const overview = async () => ({ ...(await status.overview()), streams });
    const records: typeof status.records = ({ limit }) => Promise.resolve(waiting.slice(0, limit));
    await using web = await sampleWeb({ status: { ...status, overview, records } });
    const { page } = await openPage(web.url);
    const table = page.getByRole("table", { name: "Uncertain, parked and waiting records, by cause" });

    expect(await table.getByRole("row").count()).toBe(2);
    expect(await table.getByText("E_PARENT_MISSING").count()).toBe(1);
    await table.getByRole("link", { name: "30 contacts" }).click();
    expect(await page.getByRole("heading", { level: 1 }).innerText()).toBe("contacts: waiting");
  });

  it("leads from a count to its records", async () => {
    await using web = await sampleWeb();
    const { page } = await openPage(web.url);
    await page
      .getByRole("row", { name: /^customers/ })
      .getByRole("link", { name: "1" })
      .click();

    expect(await page.getByRole("heading", { level: 1 }).innerText()).toBe("customers: applied");
    await page.getByRole("link", { name: "customers/10023" }).click();
    expect(await page.getByRole("row", { name: /update customer 4711/ }).innerText()).toContain("Müller & Söhne");
  });

  it("tries a record again when asked, and only one that can be", async () => {
    const status = sampleStatus();
    await using web = await sampleWeb({ status });
    const { page, complaints } = await openPage(`${web.url}/records/tickets/T-2`);
    await page.getByRole("button", { name: "Try again now" }).click();
    await page.waitForURL(`${web.url}/records/tickets/T-2`);

    expect(status.retried).toEqual(["tickets/T-2"]);
    expect(complaints).toEqual([]);
    await page.goto(`${web.url}/records/tickets/T-1`);
    expect(await page.getByRole("button").count()).toBe(0);
  });

  it("loads itself again, until it is paused", async () => {
    await using web = await sampleWeb();
    const { page } = await openPage(web.url);
    const refresh = page.locator('meta[http-equiv="refresh"]');

    expect(await refresh.getAttribute("content")).toBe("10");
    await page.getByRole("link", { name: "pause" }).click();
    await page.getByRole("link", { name: "resume" }).waitFor();
    expect(await refresh.count()).toBe(0);
  });

  it("fits a narrow window: only tables scroll", async () => {
    await using web = await sampleWeb();
    const { page } = await openPage(web.url);
    await page.setViewportSize({ width: 360, height: 700 });

    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(360);
  });

  it("says so when all is well", async () => {
    await using web = await sampleWeb({
      status: { ...sampleStatus({ streams: [] }), records: () => Promise.resolve([]) },
    });
    const { page } = await openPage(web.url);

    expect(await page.getByRole("status").innerText()).toBe("All well. Nothing is due.");
    expect(await page.title()).toBe("svcsync: all well");
  });
});
