import { RECORD_STATES, type Clock, type RecordId, type RecordState } from "#model";
import { attentionStates, ErrorGroups } from "#operator";
import { metricsType, redacted, type Metrics, type Redact } from "#telemetry";
import { htmlResponse, jsonResponse, seeOther, textResponse, type HttpResponse } from "./answer.ts";
import type { StatusSource } from "./contract.ts";
import type { Readiness } from "./readiness.ts";
import { recordsLookedAt } from "./pages/held-records.ts";
import { noRecordPage, recordPage } from "./pages/record-page.ts";
import { recordsPage, recordsPerPage, statesOf, type RecordsQuery } from "./pages/records-page.ts";
import type { WebRequest } from "./request.ts";
import { problemsOf, statusPage } from "./pages/status-page.ts";
import { pathOf } from "./pages/wording.ts";

/** What the routes answer from. */
export interface RouteDeps {
  readonly status: StatusSource;
  readonly readiness: () => Promise<Readiness>;
  readonly metrics: Pick<Metrics, "text">;
  readonly redact: Redact;
  readonly clock: Clock;
  readonly version: string;
}

/** The answer to a request. Rejects with whatever a part rejects with. */
export async function answer(request: WebRequest, parts: RouteDeps): Promise<HttpResponse> {
  const { method, path } = request;
  if (!request.isForUs && !isHealth(path)) return textResponse(foreignName, 421);
  const verb = path[0] === "records" && path.at(-1) === "retry" && (path.length === 4 || isByQuery(request, 3));
  const allowed = verb ? ["POST"] : ["GET", "HEAD"];
  if (!allowed.includes(method)) return textResponse("method not allowed", 405, { allow: allowed.join(", ") });
  if (verb) return retry(request, parts);
  return (await read(request, parts)) ?? textResponse("not found", 404);
}

async function read(request: WebRequest, parts: RouteDeps): Promise<HttpResponse | undefined> {
  const { path, query } = request;
  const [first, second] = path;
  if (path.length === 1) {
    if (first === "") return statusAnswer(query, parts);
    if (first === "healthz") return textResponse("alive");
    if (first === "readyz") return readyAnswer(parts);
    if (first === "metrics") return { status: 200, type: metricsType, body: await parts.metrics.text() };
    if (first === "records") return recordsAnswer(query, parts, "html");
  }
  if (first === "records" && (path.length === 3 || isByQuery(request, 2)))
    return recordAnswer(idOf(request), parts, "html");
  if (first !== "api") return undefined;
  if (second === "status" && path.length === 2) return apiStatusAnswer(parts);
  if (second === "records" && path.length === 2) return recordsAnswer(query, parts, "json");
  if (second === "records" && (path.length === 4 || isByQuery(request, 3)))
    return recordAnswer(idOf({ ...request, path: path.slice(1) }), parts, "json");
  return undefined;
}

async function readyAnswer({ readiness, redact }: RouteDeps): Promise<HttpResponse> {
  const found = redacted(await readiness(), redact);
  return jsonResponse(found, found.ready ? 200 : 503);
}

async function statusAnswer(
  query: URLSearchParams,
  { status, redact, clock, version }: RouteDeps,
): Promise<HttpResponse> {
  const overview = await status.overview();
  const asked = overview.streams.flatMap(({ name, counts }) =>
    attentionStates.filter((state) => (counts[state] ?? 0) > 0).map((state) => ({ stream: name, states: [state] })),
  );
  const held = new ErrorGroups();
  for (const each of asked)
    for (const record of await status.records({ ...each, limit: recordsLookedAt })) held.add(record);
  const shown = redacted({ overview, held: held.list() }, redact);
  return htmlResponse(statusPage({ ...shown, refresh: query.get("refresh") !== "off", version, now: clock.now() }));
}

async function apiStatusAnswer({ status, redact, clock, version }: RouteDeps): Promise<HttpResponse> {
  const overview = redacted(await status.overview(), redact);
  return jsonResponse({ version, at: clock.now(), problems: problemsOf(overview), ...overview });
}

async function recordsAnswer(
  parameters: URLSearchParams,
  { status, redact, clock, version }: RouteDeps,
  form: "html" | "json",
): Promise<HttpResponse | undefined> {
  const query = recordsQuery(parameters);
  if (query === undefined) return undefined;
  const found = await status.records({ ...query, states: statesOf(query), limit: recordsPerPage });
  const records = redacted(found, redact);
  return form === "json"
    ? jsonResponse({ records })
    : htmlResponse(recordsPage({ query, records, version, now: clock.now() }));
}

async function recordAnswer(
  id: RecordId,
  { status, redact, clock, version }: RouteDeps,
  form: "html" | "json",
): Promise<HttpResponse | undefined> {
  const found = await status.record(id);
  if (found === undefined) return form === "json" ? undefined : htmlResponse(noRecordPage({ id, version }), 404);
  const detail = redacted(found, redact);
  return form === "json" ? jsonResponse(detail) : htmlResponse(recordPage({ detail, version, now: clock.now() }));
}

async function retry(request: WebRequest, { status }: RouteDeps): Promise<HttpResponse> {
  if (!request.isOwnPage)
    return textResponse("only a page of svcsync may ask for this; scripts use svcsync retry", 403);
  const id = idOf(request);
  if ((await status.record(id)) === undefined) return textResponse("not found", 404);
  await status.retry(id);
  return seeOther(pathOf(id));
}

/** Alive is no secret, and a probe may call the process by any name. */
function isHealth(path: readonly string[]): boolean {
  return path.length === 1 && path[0] === "healthz";
}

const foreignName =
  "This is not a name of svcsync's page. If a proxy or a name of your own leads here, put that name into HEALTH_NAMES.";

/** `/records/STREAM/KEY`, or `/records/STREAM?key=KEY` for a key that a path cannot hold. */
function idOf({ path, query }: Pick<WebRequest, "path" | "query">): RecordId {
  return { stream: path[1] ?? "", key: query.get("key") ?? path[2] ?? "" };
}

function isByQuery({ path, query }: WebRequest, length: number): boolean {
  return path.length === length && query.has("key");
}

/** Undefined where the query names a state that there is not. */
function recordsQuery(parameters: URLSearchParams): RecordsQuery | undefined {
  const stream = parameters.get("stream");
  const word = parameters.get("state");
  const state = RECORD_STATES.find((known): known is RecordState => known === word);
  if (word !== null && state === undefined) return undefined;
  const after = { stream: parameters.get("after-stream"), key: parameters.get("after-key") };
  return {
    ...(stream === null ? {} : { stream }),
    ...(state === undefined ? {} : { state }),
    ...(after.stream === null || after.key === null ? {} : { after: { stream: after.stream, key: after.key } }),
  };
}
