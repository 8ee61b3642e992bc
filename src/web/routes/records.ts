import { errorFacts, RECORD_STATES, type RecordId, type RecordState } from "#model";
import { csvText, recordRemedy } from "#operator";
import type { App, Context } from "#server";
import { eachPage, type RecordView } from "#store";
import { redacted, type Redact } from "#telemetry";
import type { RecordDetail, StatusSource } from "../contract.ts";
import { noRecordPage, recordPage } from "../pages/record/record-page.ts";
import { recordsPage, recordsPerPage, statesOf, titled, type RecordsPageQuery } from "../pages/record/records-page.ts";
import { searchPage } from "../pages/record/search-page.ts";
import { jsonAnswer, type PageDeps } from "../route-deps.ts";
import { addressedRecord, noRecord, noStream, recordPaths } from "./record-address.ts";
import { search } from "./search.ts";

const noState = `state: expected one of ${RECORD_STATES.join(", ")}`;

/** Lists of records, and one record. */
export function addRecords(app: App, { status, redact, clock, logger, frameOf }: PageDeps): void {
  const list = async (query: RecordsPageQuery) =>
    redacted(await status.records({ ...query, states: statesOf(query), limit: recordsPerPage }), redact);
  const detailOf = async (c: Context, id: RecordId): Promise<RecordDetail | undefined> => {
    const found = await status.record(id, { readService: c.req.query("service") === "now" });
    return found && redacted(found, redact);
  };

  const ofList = (path: string, answer: (c: Context, query: RecordsPageQuery) => Response | Promise<Response>) =>
    app.get(path, (c) => {
      const query = recordsQuery(c, status);
      return typeof query === "string" ? c.text(`${query}\n`, 400) : answer(c, query);
    });
  ofList("/records", async (c, query) =>
    c.html(
      recordsPage({
        query,
        records: redacted(await titled(await list(query), status.titles), redact),
        frame: frameOf(c),
        now: clock.now(),
      }),
    ),
  );
  ofList("/api/records", async (c, query) => jsonAnswer(c, { records: await list(query) }));
  ofList("/records.csv", (c, query) => {
    const parts = recordsCsv(status, query, redact, (thrown) => {
      logger.warn({ path: c.req.path, err: errorFacts(thrown) }, "failed to answer a page");
      // A file that ends too early must not look whole.
      c.env.outgoing.destroy();
    });
    return c.body(ReadableStream.from(parts).pipeThrough(new TextEncoderStream()), 200, {
      "content-type": "text/csv; charset=utf-8",
      "content-disposition": `attachment; filename="svcsync-records.csv"`,
    });
  });
  app.get("/search", async (c) => {
    const text = c.req.query("q") ?? "";
    const found = redacted(await search(status, text, afterIn(c)), redact);
    const records = redacted(await titled(found.records, status.titles), redact);
    return c.html(searchPage({ text, found: { ...found, records }, frame: frameOf(c), now: clock.now() }));
  });
  app.get("/api/search", async (c) =>
    jsonAnswer(c, redacted(await search(status, c.req.query("q") ?? "", afterIn(c)), redact)),
  );
  for (const path of recordPaths) {
    app.get(path, async (c) => {
      const id = addressedRecord(c);
      if (id === undefined) return c.notFound();
      const detail = await detailOf(c, id);
      if (detail === undefined) return c.html(noRecordPage({ id, frame: frameOf(c) }), 404);
      return c.html(recordPage({ detail, frame: frameOf(c), now: clock.now() }));
    });
    app.get(`/api${path}`, async (c) => {
      const id = addressedRecord(c);
      if (id === undefined) return c.notFound();
      const detail = await detailOf(c, id);
      return detail === undefined ? c.text(`${noRecord(id)}\n`, 404) : jsonAnswer(c, detail);
    });
  }
}

/** What is wrong where the query names a stream or a state that does not exist. */
function recordsQuery(c: Context, status: Pick<StatusSource, "streams">): RecordsPageQuery | string {
  const { stream, state: word } = c.req.query();
  if (stream !== undefined && !status.streams.includes(stream)) return noStream(stream, status);
  const state = RECORD_STATES.find((known): known is RecordState => known === word);
  if (word !== undefined && state === undefined) return noState;
  return { stream, state, after: afterIn(c) };
}

/** The record after which a list continues. */
function afterIn(c: Context): RecordId | undefined {
  const { "after-stream": stream, "after-key": key } = c.req.query();
  return stream === undefined || key === undefined ? undefined : { stream, key };
}

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

/**
 * A list of records as a table for spreadsheets. It is read one page at a time, so that memory use stays constant and other requests are
 * served in between. Never throws: `failed` gets the error.
 */
async function* recordsCsv(
  source: StatusSource,
  query: RecordsPageQuery,
  redact: Redact,
  failed: (thrown: unknown) => void,
): AsyncGenerator<string> {
  try {
    yield csvText([heads]);
    for await (const page of eachPage(source, { ...query, states: statesOf(query) }))
      yield csvText(redacted(page.map(lineOf), redact));
  } catch (thrown) {
    failed(thrown);
  }
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
