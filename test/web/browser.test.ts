import { chromium, type Browser, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findChromium } from "../setup/chromium.ts";
import { sampleStatus } from "./sample-status.ts";
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

  it("shows each stream with its state, cursor, lag, counts and last error", async () => {
    await using web = await sampleWeb();
    const { page } = await openPage(web.url);
    const row = await page
      .getByRole("row", { name: /^contacts/ })
      .first()
      .innerText();

    expect(row).toContain("erp → customerContact");
    expect(row).toContain("lag 12 s");
    expect(row).toContain('"stamp":"2026-05-20T11:59:30Z"');
    expect(row).toMatch(/1,187\s+applied/);
    expect(row).toContain("E_SOURCE_UNREACHABLE");
    expect(await page.getByRole("row", { name: /^tickets erp/ }).innerText()).toContain("Run svcsync adopt tickets.");
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
    expect(await refresh.count()).toBe(0);
    expect(await page.getByRole("link", { name: "resume" }).count()).toBe(1);
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
