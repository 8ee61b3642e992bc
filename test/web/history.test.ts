import { describe, expect, it } from "vitest";
import type { HistoryHour } from "#store";
import { sampleHour, sampleStatus } from "./sample-status.ts";
import { sampleWeb } from "./web-server.ts";

/** The page of contacts, with these hours in the store. */
async function pageWith(hours: readonly HistoryHour[]): Promise<string> {
  const history: ReturnType<typeof sampleStatus>["history"] = ({ since, stream }) =>
    Promise.resolve(hours.filter((hour) => hour.hourAt >= since && hour.stream === stream));
  await using web = await sampleWeb({ status: { ...sampleStatus(), history } });
  return (await fetch(`${web.url}/streams/contacts/history`)).text();
}

const rectsOf = (page: string) => page.match(/<rect [^>]*>(<title>[^<]*<\/title>)?/g) ?? [];
const rowsOf = (page: string) => [...page.matchAll(/<tr>\s*<th scope="row">[\s\S]*?<\/tr>/g)].map(([row]) => row);
const cellsOf = (row = "") => [...row.matchAll(/<t[hd][^>]*>([^<]*)</g)].map(([, text]) => text);

describe("the history of a stream", () => {
  it("has one bar per day since the first one, with a mark below a day with trouble, and says it in words", async () => {
    const page = await pageWith([
      sampleHour(72, { created: 1_200, parked: 1, uncertain: 1, pollFailures: 1 }),
      sampleHour(25, { updated: 2, changed: 7 }),
      sampleHour(24, { deleted: 1, unchanged: 50 }),
      { ...sampleHour(2, { updated: 9_999 }), stream: "customers" },
    ]);

    expect(page).toContain(
      "contacts: 1,203 records delivered in 4 days, at most 1,200 in a day, 1 day with parked or uncertain records or failed polls",
    );
    expect(rectsOf(page)).toEqual([
      '<rect x="0" y="0" width="23" height="120"><title>2026-05-17: 1,200 records delivered, 2 records parked or uncertain, 1 failed poll</title>',
      expect.stringMatching(/^<rect class="trouble" x="0" y="122" .*<title>2026-05-17: 1,200/),
      '<rect x="24" y="120" width="23" height="0"><title>2026-05-18: 0 records delivered</title>',
      '<rect x="48" y="119" width="23" height="1"><title>2026-05-19: 3 records delivered</title>',
      '<rect x="72" y="120" width="23" height="0"><title>2026-05-20: 0 records delivered</title>',
    ]);
    expect(rowsOf(page).map(cellsOf)).toEqual([
      ["2026-05-20", "0", "0", "0", "0", "0"],
      ["2026-05-19", "120", "0", "7", "3", "0"],
      ["2026-05-18", "0", "0", "0", "0", "0"],
      ["2026-05-17", "60", "1", "0", "1,200", "2"],
    ]);
  });

  it("shows 400 days and the last 14 in a table, whatever older hours the store still has", async () => {
    const page = await pageWith(Array.from({ length: 500 }, (_, at) => sampleHour(24 * (499 - at), { updated: 1 })));

    expect(page).toContain("contacts: 400 records delivered in 400 days, at most 1 in a day, 0 days with");
    expect(page).toContain("from 2025-04-16 to 2026-05-20");
    expect(rectsOf(page)).toHaveLength(400);
    expect(rowsOf(page).map((row) => cellsOf(row)[0])).toEqual(
      Array.from({ length: 14 }, (_, ago) => `2026-05-${String(20 - ago).padStart(2, "0")}`),
    );
  });

  it("says so where nothing was recorded, and where the clock was set back", async () => {
    expect(await pageWith([])).toContain("Nothing was recorded of contacts yet.");
    expect(await pageWith([sampleHour(-48, { updated: 1 })])).toContain("Nothing was recorded of contacts yet.");
  });

  it("is linked from the stream's row", async () => {
    await using web = await sampleWeb();
    expect(await (await fetch(web.url)).text()).toContain('<a href="/streams/contacts/history"');
  });

  it("is told to scripts by hour, of the last day unless asked for more", async () => {
    await using web = await sampleWeb();
    const read = async (query: string): Promise<unknown> =>
      (await fetch(`${web.url}/api/streams/contacts/history${query}`)).json();

    expect(await read("?since=2026-05-20T00:00:00Z")).toEqual({
      hours: [expect.objectContaining({ stream: "contacts", hourAt: "2026-05-20T10:00:00.000Z", updated: 3 })],
    });
    expect(await read("")).toEqual({
      hours: [{ updated: 999 }, { created: 1200 }, { updated: 3 }].map((hour) => expect.objectContaining(hour)),
    });
    expect(await read("?since=yesterday")).toEqual({ error: expect.stringContaining("since: expected an instant") });
  });

  it.each(["/streams/nothing/history", "/api/streams/nothing/history"])("answers %s with 404", async (path) => {
    await using web = await sampleWeb();
    const answer = await fetch(web.url + path);

    expect([answer.status, await answer.text()]).toEqual([404, expect.stringContaining("no such stream: found ")]);
  });
});
