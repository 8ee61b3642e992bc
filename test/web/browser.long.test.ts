import axe from "axe-core";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Overview } from "#web";
import { launchBrowser, looks, openState } from "./page-browser.ts";
import { pageStates } from "./page-states.ts";
import { causesIn, sampleRecord, sampleSides, sampleStatus, sampleStreams } from "./sample-status.ts";
import { sampleWeb } from "./web-server.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
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
    const row = page.getByRole("table").getByRole("row", { name: /^contacts/ });
    const text = await row.innerText();

    expect(text).toContain("erp → customerContact");
    expect(text).toMatch(/failing\s+the last poll failed, and the next one retries/);
    expect(text).toContain("oldest undelivered change: 4 min old");
    expect(text).toMatch(/1,187\s+applied/);
    expect(text).not.toContain('"stamp"');
    await row.getByText("More").click();
    expect(await row.innerText()).toContain('"stamp":"2026-05-20T11:59:30Z"');
    expect(await row.innerText()).toContain("whole 12 s ago");
  });

  it("says below each stream what a person should know or do, with the command to run", async () => {
    await using web = await sampleWeb();
    const { page } = await openPage(web.url);

    expect(await page.getByRole("heading", { level: 1 }).innerText()).toBe(
      "2 streams (contacts, tickets) and 2 records need attention.",
    );
    expect(await page.getByRole("list", { name: "contacts: attention" }).innerText()).toContain("E_SOURCE_UNREACHABLE");
    const tickets = page.getByRole("list", { name: "tickets: attention" });
    expect(await tickets.getByRole("listitem").count()).toBe(2);
    expect(await tickets.locator("code.command").innerText()).toBe("svcsync adopt tickets");
    expect(await page.getByRole("list", { name: "customers: attention" }).count()).toBe(0);
  });

  it("is red where something is stuck, and amber where records flow and a person may want to look", async () => {
    const [customers] = sampleStreams;
    const attention = ["the service answers 200 to billable but does not keep it"];
    const streams = [{ ...customers!, attention, counts: { waiting: 1 } }];
    expect(await verdictOf({})).toMatchObject({ colour: "rgb(163, 32, 26)" });
    const amber = await verdictOf({ streams });
    expect(amber).toEqual({
      text: expect.stringMatching(
        /^Records are delivered\. Check customers\.\s+customers: the service answers 200 to billable/,
      ),
      colour: "rgb(122, 82, 0)",
    });
    const { text, colour } = await verdictOf({ streams: [customers!] });
    expect(text).toMatch(/^All is well\.\s+1 record in step; every stream was read within 12 s\.$/);
    expect(colour).toBe("rgb(23, 101, 58)");
  });

  it("counts in its headline what needs attention alone, and names what else there is below", async () => {
    const [customers, , tickets] = sampleStreams;
    const pause = { kind: "pause", reason: "r", remedy: "m", needsPerson: false, polls: false } as const;
    const paused = { ...customers!, state: "paused", holds: [pause], attention: ["delivery is paused"] } as const;
    const blocked = "12 records wait for records that will not come";
    const counts = { waiting: 12 };
    const flowing = { ...tickets!, state: "following", holds: [], attention: [blocked], blocked: 12, counts } as const;
    const parked = { ...flowing, counts: { ...counts, parked: 1 } };

    const first = await verdictOf({ streams: [paused, parked] });
    expect(first.text).toMatch(/^1 record needs attention\.\s+customers: delivery is paused/);
    expect(first.text).toContain(blocked);
    const problem = await verdictOf({ streams: [paused, parked], blockedRecords: "problem" });
    expect(problem.text).toMatch(/^1 stream \(tickets\) and 1 record need attention\./);
    const held = { ...tickets!, counts: { waiting: 1 } };
    const { text } = await verdictOf({ streams: [held, { ...flowing, name: "contacts" }] });
    expect(text).toMatch(/^A decision is needed: tickets\./);
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
    const groups = () => Promise.resolve(causesIn(waiting));
    await using web = await sampleWeb({ status: { ...status, overview, records, groups } });
    const { page } = await openPage(web.url);
    const cards = page.getByRole("article").filter({ hasText: "E_PARENT_MISSING" });

    expect(await cards.count()).toBe(1);
    await cards.getByRole("link", { name: "30 records of contacts" }).click();
    expect(await page.getByRole("heading", { level: 1 }).innerText()).toBe("contacts: waiting");
  });

  it("leads from a count to its records", async () => {
    await using web = await sampleWeb();
    const { page } = await openPage(web.url);
    await page
      .getByRole("row", { name: /^customers/ })
      .getByRole("link", { name: "1 applied" })
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
    expect(await page.getByRole("button", { name: "Try again now" }).count()).toBe(0);
  });

  it("does once what a person clicks twice, although the answer takes its time", async () => {
    const status = sampleStatus();
    const begun = Promise.withResolvers<undefined>();
    const end = Promise.withResolvers<undefined>();
    const carryOut: typeof status.carryOut = async (...asked) => {
      begun.resolve(undefined);
      await end.promise;
      return status.carryOut(...asked);
    };
    await using web = await sampleWeb({ status: { ...status, carryOut } });
    const page = await browser.newPage();
    await page.clock.install();
    await page.goto(`${web.url}/records/tickets/T-2`);
    await page.clock.pauseAt(Date.now() + 60_000);
    const box = (await page.getByRole("button", { name: "Try again now" }).boundingBox())!;
    const click = () => page.mouse.click(box.x + 9, box.y + 9);
    await click();
    await begun.promise;
    const answered = page.waitForEvent("load");
    await click();
    end.resolve(undefined);
    await answered;
    expect(status.retried).toEqual(["tickets/T-2"]);
  });

  it("keeps itself fresh without being loaded again, until it is paused", async () => {
    let streams = [sampleStreams[0]!];
    await using web = await sampleWeb({
      status: {
        ...sampleStatus(),
        overview: () => sampleStatus({ streams }).overview(),
        records: () => Promise.resolve([]),
      },
    });
    const page = await browser.newPage();
    await page.clock.install();
    await page.goto(web.url);
    expect(await page.getByRole("heading", { level: 1 }).innerText()).toBe("All is well.");

    streams = [sampleStreams[1]!];
    await page.clock.runFor(10_000);
    await page.getByRole("heading", { level: 1, name: "1 stream (contacts) and 1 record need attention." }).waitFor();
    expect(await page.title()).toBe("svcsync: needs attention");
    await page.getByRole("button", { name: "Stop refreshing" }).click();
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    await page.clock.runFor(60_000);
    expect(asked).toEqual([]);
    expect(await page.getByRole("button", { name: "Refresh again" }).count()).toBe(1);
  });

  it("says that it is out of date while svcsync does not answer, and is fresh again afterwards", async () => {
    const status = { ...sampleStatus({ streams: [sampleStreams[0]!] }), groups: () => Promise.resolve([]) };
    const web = await sampleWeb({ status });
    const page = await browser.newPage();
    await page.clock.install();
    await page.goto(web.url);
    // A person left something open: the page is not put in place, and still asked for.
    await page.getByText("More").first().click();
    await web[Symbol.asyncDispose]();
    await page.clock.runFor(10_000);
    await page.getByRole("alert").waitFor();
    expect(await page.getByRole("alert").innerText()).toMatch(/^Not refreshed since .+: svcsync does not answer/);
    expect(await page.title()).toBe("svcsync: does not answer");

    await using _again = await sampleWeb({ status }, { port: Number(new URL(web.url).port) });
    await page.clock.runFor(10_000);
    await page.getByRole("alert").waitFor({ state: "detached" });
    expect(await page.title()).toBe("svcsync: all well");
  });

  it("answers whether all is well although a person is at work in it, whose place stays", async () => {
    let streams = [sampleStreams[0]!];
    await using web = await sampleWeb({
      status: { ...sampleStatus(), overview: () => sampleStatus({ streams }).overview(), groups: async () => [] },
    });
    const page = await browser.newPage();
    await page.clock.install();
    await page.goto(web.url);
    const headline = (name: string) => page.getByRole("heading", { level: 1, name }).waitFor();
    const trouble = "1 stream (contacts) and 1 record need attention.";
    const isKept = "document.activeElement.isConnected && document.activeElement.matches('.scroll')";
    // A click gives the table the focus, as the keyboard does.
    await page.getByText("every change is followed").click();
    streams = [sampleStreams[1]!];
    await page.clock.runFor(10_000);
    await headline(trouble);
    expect(await page.getByRole("status").innerText()).toContain("1 parked record");
    expect(await page.evaluate("getComputedStyle(document.querySelector('.verdict')).borderLeftColor")).toBe(
      "rgb(163, 32, 26)",
    );
    expect(await page.evaluate(isKept)).toBe(true);
    expect(await page.locator("footer").innerText()).toContain("Only the headline is live");

    await page.evaluate("document.activeElement.blur()");
    await page.clock.runFor(10_000);
    await page.getByText("the last poll failed").waitFor();
    expect(await page.locator("footer").innerText()).toContain("Live, every 10 s");
  });

  it("keeps what a person selected to copy it, and how far a table was scrolled", async () => {
    await using web = await sampleWeb();
    const page = await browser.newPage({ viewport: { width: 900, height: 700 } });
    await page.clock.install();
    await page.goto(web.url);
    // What a refresh puts back.
    await page.evaluate("document.querySelector('h2').textContent = 'old'");
    await page.evaluate("getSelection().selectAllChildren(document.querySelector('main code.command'))");
    await page.clock.runFor(10_000);
    await page.getByText("Only the headline is live").waitFor();
    expect(await page.evaluate("getSelection().toString()")).toBe("svcsync adopt tickets");

    await page.evaluate("getSelection().empty(); document.querySelector('.scroll').scrollLeft = 60");
    await page.clock.runFor(10_000);
    await page.getByRole("heading", { name: "Streams to look at" }).waitFor();
    expect(await page.evaluate("document.querySelector('.scroll').scrollLeft")).toBe(60);
  });

  it("is fresh at once when a person comes back to it", async () => {
    let streams = [sampleStreams[0]!];
    await using web = await sampleWeb({
      status: { ...sampleStatus(), overview: () => sampleStatus({ streams }).overview(), groups: async () => [] },
    });
    const page = await browser.newPage();
    await page.clock.install();
    await page.goto(web.url);
    const show = (isHidden: boolean) =>
      page.evaluate(
        `Object.defineProperty(document, "hidden", { value: ${isHidden}, configurable: true }); document.dispatchEvent(new Event("visibilitychange"))`,
      );
    await show(true);
    streams = [sampleStreams[1]!];
    await page.clock.pauseAt(Date.now() + 3_600_000);
    expect(await page.getByRole("heading", { level: 1 }).innerText()).toBe("All is well.");
    await show(false);
    await page.getByRole("heading", { level: 1, name: /need attention/ }).waitFor();
  });

  it("fits a narrow window: only tables scroll", async () => {
    await using web = await sampleWeb();
    const { page } = await openPage(web.url);
    await page.setViewportSize({ width: 360, height: 700 });

    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(360);
  });

  it("keeps all columns in sight whatever one value is: long words, names and keys", async () => {
    const word = "W".repeat(5_000);
    const error = { code: "E_LOOKUP_UNKNOWN", message: `no status is called "${word}"`, details: {} } as const;
    const record = sampleRecord(
      { stream: "customers", key: "K".repeat(500) },
      { state: "parked", error, row: { name: word, ["f".repeat(300)]: "x" } },
    );
    const detail = { record, obstacles: [], sides: sampleSides(record, false), history: [], exchanges: [] };
    await using web = await sampleWeb({
      status: { ...sampleStatus(), records: async () => [record], record: async () => detail },
    });
    const { page } = await openPage(`${web.url}/records`);
    const widest = "Math.max(...[...document.querySelectorAll('.scroll')].map((each) => each.scrollWidth))";
    for (const path of ["/records", "/records/customers/1", `/search?q=${word.slice(0, 500)}`])
      for (const width of [1280, 390]) {
        await page.setViewportSize({ width, height: 900 });
        await page.goto(web.url + path);
        expect([path, width, await page.evaluate(widest)]).toEqual([
          path,
          width,
          expect.toSatisfy((each) => each <= width),
        ]);
      }
  });

  it("tells a pause and a first load from trouble", async () => {
    const [customers] = sampleStreams;
    const pause = { kind: "pause", reason: "r", remedy: "m", needsPerson: false, polls: false } as const;
    const paused = { ...customers!, state: "paused", holds: [pause], attention: ["r; m"], counts: { due: 9 } } as const;
    expect((await verdictOf({ streams: [paused] })).text).toMatch(
      /^Paused: customers\. Everything else works\.\s+customers: r; m\.$/,
    );
    const loading = { ...customers!, state: "loading", counts: { due: 9 } } as const;
    expect((await verdictOf({ streams: [loading] })).text).toMatch(
      /^The first load is in progress\.\s+9 records on the way/,
    );
  });

  it("says so when all is well", async () => {
    await using web = await sampleWeb({
      status: { ...sampleStatus({ streams: [] }), records: () => Promise.resolve([]) },
    });
    const { page } = await openPage(web.url);

    expect(await page.getByRole("status").innerText()).toBe("All is well.");
    expect(await page.title()).toBe("svcsync: all well");
  });
});

describe("a record in a browser", () => {
  it("stands side by side with what the service holds, when asked, and differences are named", async () => {
    await using web = await sampleWeb();
    const { page } = await openPage(`${web.url}/records/customers/10023`);
    const cell = (row: string, at: number) => page.getByRole("row", { name: row }).getByRole("cell").nth(at);

    expect(await cell("name Müller", 0).innerText()).toContain("≠ not written yet");
    await page.getByRole("button", { name: "Read it from the service now" }).click();
    await page.getByText("Changed in the service since the last write: phone.").waitFor();
    expect(await cell("phone", 2).innerText()).toBe("+41 79 000 00 00 ≠ differs");
  });

  it("is found by its key, its service id and a name", async () => {
    await using web = await sampleWeb();
    const { page } = await openPage(web.url);
    for (const text of ["10023", "customers/10023", "4711", "müller & S"]) {
      await page.getByRole("searchbox").fill(text);
      await page.getByRole("searchbox").press("Enter");
      await page.getByRole("heading", { name: /^Found/ }).waitFor();
      expect(await page.getByRole("link", { name: "customers/10023" }).count()).toBe(1);
    }
    await page.getByRole("searchbox").fill("nothing like it");
    await page.getByRole("searchbox").press("Enter");
    await page.getByRole("heading", { name: "Nothing found" }).waitFor();
  });
});

describe("every page", () => {
  it.each(pageStates)("is free of what axe finds, wide and narrow, light and dark: $name", async (state) => {
    await using web = await sampleWeb(state.parts, state.address);
    const page = await browser.newPage({ bypassCSP: true });
    for (const { colorScheme, width } of looks) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 844 });
      await openState(page, web.url.replace("0.0.0.0", "127.0.0.1"), state);
      await page.addScriptTag({ content: axe.source });
      const found: string[] = await page.evaluate(
        "axe.run().then(({ violations }) => violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`))",
      );
      expect(found).toEqual([]);
      const cut =
        "[...document.querySelectorAll('main *')].filter((e) => e.closest('.scroll, .unseen') === null && e.getBoundingClientRect().right > innerWidth).map((e) => e.outerHTML)";
      expect(await page.evaluate(cut)).toEqual([]);
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
    }
    await page.close();
  });
});
