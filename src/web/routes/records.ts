import { RECORD_STATES, type RecordId, type RecordState } from "#model";
import { csvText, recordRemedy } from "#operator";
import type { App, Context } from "#server";
import { eachPage, type RecordView } from "#store";
import { redacted, type Redact } from "#telemetry";
import type { RecordDetail, StatusSource } from "../contract.ts";
import { noRecordPage, recordPage } from "../pages/record/record-page.ts";
import { recordsPage, recordsPerPage, statesOf, type RecordsQuery } from "../pages/record/records-page.ts";
import { searchPage } from "../pages/record/search-page.ts";
import { jsonAnswer, type PageDeps } from "../route-deps.ts";
import { idOf, noRecord, recordPaths } from "./record-address.ts";
import { search } from "./search.ts";

const noState = `state: expected one of ${RECORD_STATES.join(", ")}\n`;

/** Lists of records, and one record. */
export function addRecords(app: App, { status, redact, clock, frameOf }: PageDeps): void {
  const list = async (query: RecordsQuery) =>
    redacted(await status.records({ ...query, states: statesOf(query), limit: recordsPerPage }), redact);
  const detailOf = async (c: Context, id: RecordId): Promise<RecordDetail | undefined> => {
    const found = await status.record(id, { readService: c.req.query("service") === "now" });
    return found && redacted(found, redact);
  };

  app.get("/records", async (c) => {
    const query = recordsQuery(c);
    if (query === undefined) return c.text(noState, 400);
    return c.html(recordsPage({ query, records: await list(query), frame: frameOf(c), now: clock.now() }));
  });
  app.get("/api/records", async (c) => {
    const query = recordsQuery(c);
    return query === undefined ? c.text(noState, 400) : jsonAnswer(c, { records: await list(query) });
  });
  app.get("/records.csv", async (c) => {
    const query = recordsQuery(c);
    if (query === undefined) return c.text(noState, 400);
    return c.body(await recordsCsv(status, query, redact), 200, {
      "content-type": "text/csv; charset=utf-8",
      "content-disposition": `attachment; filename="svcsync-records.csv"`,
    });
  });
  app.get("/search", async (c) => {
    const text = c.req.query("q") ?? "";
    const found = redacted(await search(status, text, afterIn(c)), redact);
    return c.html(searchPage({ text, found, frame: frameOf(c), now: clock.now() }));
  });
  app.get("/api/search", async (c) =>
    jsonAnswer(c, redacted(await search(status, c.req.query("q") ?? "", afterIn(c)), redact)),
  );
  for (const path of recordPaths) {
    app.get(path, async (c) => {
      const id = idOf(c);
      if (id === undefined) return c.notFound();
      const detail = await detailOf(c, id);
      if (detail === undefined) return c.html(noRecordPage({ id, frame: frameOf(c) }), 404);
      return c.html(recordPage({ detail, frame: frameOf(c), now: clock.now() }));
    });
    app.get(`/api${path}`, async (c) => {
      const id = idOf(c);
      if (id === undefined) return c.notFound();
      const detail = await detailOf(c, id);
      return detail === undefined ? c.text(`${noRecord(id)}\n`, 404) : jsonAnswer(c, detail);
    });
  }
}

/** Undefined if the query names a state that does not exist. */
function recordsQuery(c: Context): RecordsQuery | undefined {
  const { stream, state: word } = c.req.query();
  const state = RECORD_STATES.find((known): known is RecordState => known === word);
  if (word !== undefined && state === undefined) return undefined;
  return { stream, state, after: afterIn(c) };
}

/** The record after which a list continues. */
function afterIn(c: Context): RecordId | undefined {
  const { "after-stream": stream, "after-key": key } = c.req.query();
  return stream === undefined || key === undefined ? undefined : { stream, key };
}

const linesMax = 50_000;

const heads = [
  "stream",
  "key",
  "state",
  "serviceId",
  "code",
  "message",
  "remedy",
  "attempts",
  "changedAt",
  "nextTryAt",
];

/** A list of records as a table for spreadsheets, up to 50,000 lines. */
async function recordsCsv(source: StatusSource, query: RecordsQuery, redact: Redact): Promise<string> {
  const parts = [csvText([heads])];
  let left = linesMax;
  // Reads one page at a time, so that other requests are served in between.
  for await (const page of eachPage(source, { ...query, states: statesOf(query) })) {
    parts.push(redact(csvText(page.slice(0, left).map(lineOf))));
    left -= page.length;
    if (left <= 0) break;
  }
  return parts.join("");
}

function lineOf(record: RecordView): string[] {
  const { id, state, binding, error, attempts, changedAt, dueAt } = record;
  return [
    id.stream,
    id.key,
    state,
    binding === undefined ? "" : String(binding.serviceId),
    error?.code ?? "",
    error?.message ?? "",
    recordRemedy(record) ?? "",
    String(attempts),
    new Date(changedAt).toISOString(),
    dueAt === undefined ? "" : new Date(dueAt).toISOString(),
  ];
}
