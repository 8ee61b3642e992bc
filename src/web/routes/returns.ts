import { RETURN_STATES, type ReturnId } from "#model";
import { returnLabel } from "#operator";
import type { App, Context } from "#server";
import { redacted } from "#telemetry";
import { returnPage } from "../pages/returns/return-page.ts";
import { returnsPage, returnsPerPage, returnStatesOf, type ReturnsPageQuery } from "../pages/returns/returns-page.ts";
import { jsonAnswer, type PageDeps } from "../route-deps.ts";

/** `/returns/STREAM/VERSION?subject=SUBJECT`: a subject may be any text. */
export const returnRoute = "/returns/:returnStream/:version";

export function addressedReturn(c: Context): ReturnId | undefined {
  const [subject, version] = [c.req.query("subject"), c.req.param("version") ?? ""];
  if (subject === undefined || !/^\d{1,15}$/.test(version)) return undefined;
  return { stream: c.req.param("returnStream") ?? "", subject, version: Number(version) };
}

/** Why a return cannot be shown. */
export function noReturn(id: ReturnId): string {
  return `no such return: ${returnLabel(id)}`;
}

/** What goes back to the ERP: the returns of a stream, and one return. */
export function addReturns(app: App, { status, redact, clock, frameOf }: PageDeps): void {
  const list = async (query: ReturnsPageQuery) => {
    const { stream, after } = query;
    const found = await status.returns.find({
      stream,
      states: returnStatesOf(query),
      after: after && { ...after, dueAt: 0 },
      limit: returnsPerPage,
    });
    return redacted(found, redact);
  };
  app.get("/returns/:returnStream", async (c) => {
    const query = queryIn(c);
    if (typeof query === "string") return c.text(`${query}\n`, 400);
    const statuses = await status.returns.statuses();
    const own = redacted(
      statuses.find(({ name }) => name === query.stream),
      redact,
    );
    return c.html(returnsPage({ query, status: own, returns: await list(query), frame: frameOf(c), now: clock.now() }));
  });
  app.get("/api/returns/:returnStream", async (c) => {
    const query = queryIn(c);
    return typeof query === "string" ? c.text(`${query}\n`, 400) : jsonAnswer(c, { returns: await list(query) });
  });
  for (const prefix of ["", "/api"])
    app.get(`${prefix}${returnRoute}`, async (c) => {
      const id = addressedReturn(c);
      if (id === undefined) return c.notFound();
      const detail = redacted(await status.returns.one(id), redact);
      if (detail === undefined) return c.text(`${noReturn(id)}\n`, 404);
      return prefix === ""
        ? c.html(returnPage({ detail, frame: frameOf(c), now: clock.now() }))
        : jsonAnswer(c, detail);
    });
}

/** What is wrong where the query names a state that does not exist. */
function queryIn(c: Context): ReturnsPageQuery | string {
  const { state: word, "after-subject": subject, "after-version": version = "" } = c.req.query();
  const stream = c.req.param("returnStream") ?? "";
  const state = RETURN_STATES.find((known) => known === word);
  if (word !== undefined && state === undefined) return `state: expected one of ${RETURN_STATES.join(", ")}`;
  const after = subject === undefined ? undefined : { stream, subject, version: Number(version) };
  return { stream, state, after };
}
