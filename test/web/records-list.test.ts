import { describe, expect, it } from "vitest";
import type { RecordView } from "#store";
import { sampleRecord, sampleStatus } from "./sample-status.ts";
import { sampleWeb } from "./web-server.ts";

const parked = (key: string, name1: string | null, code: "E_MAPPING" | "E_SERVICE_REFUSED"): RecordView =>
  sampleRecord(
    { stream: "customers", key },
    { state: "parked", row: { name1 }, error: { code, message: `the field cannot be mapped`, details: {} } },
  );

/** The page of these records, as its text with tags. */
async function listOf(records: readonly RecordView[], path = "/records") {
  await using web = await sampleWeb({
    status: { ...sampleStatus(), records: () => Promise.resolve([...records]) },
  });
  return (await fetch(web.url + path)).text();
}

const count = (page: string, text: string) => page.split(text).length - 1;

describe("the list of records", () => {
  it("says once what to do about records with the same cause, above them", async () => {
    const page = await listOf([
      parked("1", "Eins", "E_MAPPING"),
      parked("2", "Zwei", "E_SERVICE_REFUSED"),
      parked("3", "Drei", "E_MAPPING"),
    ]);
    expect(count(page, "What to do:")).toBe(2);
    expect(page).toMatch(/2 records of customers,\s*<code>E_MAPPING<\/code>/);
    const order = ["E_MAPPING", "customers/1<", "customers/3<", "E_SERVICE_REFUSED", "customers/2<"];
    const places = order.map((text) => page.indexOf(text));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(places).not.toContain(-1);
  });

  it("shows the name of a record beside its key, escaped and redacted", async () => {
    const page = await listOf([parked("1", "<b>Eins</b> s3cret", "E_MAPPING"), parked("2", null, "E_MAPPING")]);
    expect(page).toContain("&lt;b&gt;Eins&lt;/b&gt; [redacted]");
    expect(page).not.toContain("<b>Eins");
    expect(await listOf([parked("1", "Eins", "E_MAPPING")], "/search?q=1")).toContain("Eins");
  });
});

/** The page of a bound record. */
const detailed = async (servicePage: string | undefined) => {
  const status = sampleStatus();
  const record = async (id: { stream: string; key: string }) => ({
    ...(await status.record(id))!,
    title: "Müller & Söhne",
    servicePage,
  });
  await using web = await sampleWeb({ status: { ...status, record } });
  return (await fetch(`${web.url}/records/customers/10023`)).text();
};

describe("the page of a record", () => {
  it("leads into the service where the address of its pages is set", async () => {
    const page = await detailed("https://app.example.com/customer/4711?a=1&b=2");
    expect(page).toContain(
      '<a href="https://app.example.com/customer/4711?a=1&amp;b=2" rel="noreferrer">customer 4711</a>',
    );
    expect(page).toMatch(/customers\/10023\s*<span class="quiet">Müller &amp; Söhne<\/span>/);
    expect(await detailed(undefined)).not.toContain("noreferrer");
  });
});

describe("acts on many records", () => {
  it("ask for a confirmation with the number, and report what was done", async () => {
    const status = sampleStatus();
    const [group] = await status.groups();
    const groups = () => Promise.resolve([{ ...group!, state: "parked" as const, count: 150 }]);
    await using web = await sampleWeb({ status: { ...status, carryOut: () => Promise.resolve(148), groups } });
    const page = await (await fetch(web.url)).text();
    expect(page).toMatch(/<summary[^>]*>Try them again<\/summary>\s*<p>150 records will be due now/);
    expect(page).toMatch(/<input type="hidden" name="count" value="150" \/>\s*<button[^>]*>\s*Try all 150 again/);
    expect(page).toMatch(
      /Leave all 150 out<\/summary>\s*<p>150 records will not be delivered until the ERP changes them/,
    );
    // The records of a cause may be in several states: each act of a card concerns those that it shows.
    for (const act of ["retry", "skip"])
      expect(new RegExp(`action="/groups/${group!.id}/${act}">([^]*?)</form>`).exec(page)![1]).toMatch(
        /name="state" value="parked" \/>\s*<input type="hidden" name="count" value="150"/,
      );

    const csrf = /name="csrf" value="([^"]+)"/.exec(page)![1]!;
    const done = await fetch(`${web.url}/groups/${group!.id}/retry`, {
      method: "POST",
      body: new URLSearchParams({ csrf, count: "150" }),
      headers: { origin: web.url },
    });
    expect(await done.text()).toMatch(
      /role="status">148 of 150 records are due now. The others are no longer held up./,
    );
  });

  it.each([
    ["act=deletions&count=60&stream=customers", "60 deletions of customers were confirmed."],
    ["act=plan&count=1&stream=customers", "1 update of customers was released."],
    ["act=retry&count=1&of=1", "1 of 1 record is due now."],
  ])("are reported on the status page: %s", async (query, text) => {
    await using web = await sampleWeb();
    expect(await (await fetch(`${web.url}/?${query}`)).text()).toContain(`<p class="done" role="status">${text}</p>`);
  });

  it.each([
    "act=deletions&count=60&stream=%3Cb%3E",
    "act=plan&count=-1&stream=customers",
    "act=retry&count=1",
    "act=x&count=1&of=2",
  ])("no address makes the page say anything else: %s", async (query) => {
    await using web = await sampleWeb();
    expect(await (await fetch(`${web.url}/?${query}`)).text()).not.toContain('class="done"');
  });
});
