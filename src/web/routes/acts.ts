import { errorFacts, isJsonObject, parsedJson, SyncError, type Actor } from "#model";
import {
  acts,
  answerOf,
  bindAct,
  channelTestAct,
  givenBy,
  missingIn,
  problemIn,
  textMax,
  type Act,
  type Given,
  type Sent,
  type Targets,
} from "#operator";
import type { App, Context, Html } from "#server";
import { redacted } from "#telemetry";
import type { Gate } from "../access/gate.ts";
import { addressOf } from "../pages/frame/act-form.ts";
import type { Frame } from "../pages/frame/layout.ts";
import { pathOf, returnPath, returnsPath } from "../pages/frame/wording.ts";
import { bindingPage, refusedPage } from "../pages/record/act-pages.ts";
import { donePath } from "../pages/status/done-note.ts";
import { testedPage } from "../pages/status/channel-test.ts";
import { jsonAnswer, type PageDeps } from "../route-deps.ts";
import { addressedReturn, noReturn, returnRoute } from "./returns.ts";
import { addressedRecord, noRecord, noStream, recordPaths } from "./record-address.ts";

/** How long a person waits for the ERP or the service, in milliseconds. */
const ANSWER_MS = 20_000;

/** All acts of people: forms of the pages, and the same as JSON under `/api`. */
export function addActs(app: App, deps: PageDeps, gate: Gate): void {
  for (const act of acts) {
    const answering = new Answering(act, deps, gate);
    for (const path of pathsOf(act))
      for (const prefix of ["", "/api"]) app.post(`${prefix}${path}`, (c) => answering.answer(c));
  }
}

function pathsOf(act: Act): string[] {
  const { name, target } = act;
  if (target === "record") return recordPaths.map((path) => `${path}/${name}`);
  if (target === "return") return [`${returnRoute}/${name}`];
  if (target === "returnStream") return [`/returns/:returnStream/${name}`];
  return [target === "installation" ? addressOf(act, undefined) : `/${target}s/:${target}/${name}`];
}

/** Answers the requests for one act. */
class Answering {
  readonly #act: Act;
  readonly #deps: PageDeps;
  readonly #gate: Gate;

  constructor(act: Act, deps: PageDeps, gate: Gate) {
    this.#act = act;
    this.#deps = deps;
    this.#gate = gate;
  }

  /** Carries out what was sent, and redirects a browser. */
  async answer(c: Context): Promise<Response> {
    const act = this.#act;
    const sent = await sentWith(c);
    if (sent === undefined) return this.#refused(c, "body: expected a JSON object", 400);
    const by = actorOf(c, this.#gate, sent);
    const missing = missingIn(act, sent, by);
    if (missing !== undefined) return this.#refused(c, missing);
    const problem = problemIn(act, sent);
    if (problem !== undefined) return this.#refused(c, problem, 400);
    const target = await this.#target(c);
    if (target instanceof Response) return target;
    const given = givenBy(act, target, sent, AbortSignal.timeout(ANSWER_MS));
    try {
      return await this.#carryOut(c, given, by);
    } catch (thrown) {
      if (!(thrown instanceof SyncError) || thrown.family === "stop") throw thrown;
      const { message, code } = errorFacts(thrown);
      return this.#refused(c, message, 409, code);
    }
  }

  async #carryOut(c: Context, given: Given, by: Actor): Promise<Response> {
    const { status, redact, frameOf } = this.#deps;
    const result = redacted(await status.carryOut(this.#act, given, by), redact);
    const undone = this.#act.undone?.(result);
    if (undone !== undefined) return this.#refused(c, undone);
    if (isApi(c)) return jsonAnswer(c, answerOf(this.#act, given, result));
    const page = resultPages.get(this.#act)?.(result, { given, by, frame: frameOf(c) });
    // 303: the browser fetches the page with GET, so that loading it again does not repeat the act.
    return page === undefined ? c.redirect(nextPath(this.#act, given, result), 303) : c.html(page);
  }

  /** What the address names, or an answer that there is no such thing. */
  async #target(c: Context): Promise<Targets[keyof Targets] | Response> {
    const { status } = this.#deps;
    if (this.#act.target === "group") return c.req.param("group") ?? "";
    if (this.#act.target === "installation") return undefined;
    if (this.#act.target === "stream") {
      const stream = c.req.param("stream") ?? "";
      return status.streams.includes(stream) ? stream : c.text(`${noStream(stream, status)}\n`, 404);
    }
    if (this.#act.target === "returnStream") return c.req.param("returnStream") ?? "";
    if (this.#act.target === "return") {
      const id = addressedReturn(c);
      if (id === undefined) return c.notFound();
      return (await status.returns.one(id)) === undefined ? c.text(`${noReturn(id)}\n`, 404) : id;
    }
    const id = addressedRecord(c);
    if (id === undefined) return c.notFound();
    return (await status.record(id)) === undefined ? c.text(`${noRecord(id)}\n`, 404) : id;
  }

  #refused(c: Context, text: string, status: 400 | 409 = 409, code?: string): Response | Promise<Response> {
    const message = this.#deps.redact(text);
    if (isApi(c)) return jsonAnswer(c, { error: message, code }, status);
    return c.html(refusedPage({ message, again: againPath(this.#act, c), frame: this.#deps.frameOf(c) }), status);
  }
}

interface Shown {
  readonly given: Given;
  readonly by: Actor;
  readonly frame: Frame;
}

/** Acts whose result is a page of its own; where it is undefined, the browser is redirected as after any act. */
const resultPages = new Map([
  resultPage(bindAct, (bound, { given: { target, input }, by, frame }) =>
    bound.isBound
      ? undefined
      : bindingPage({ id: target, serviceId: input.serviceId, proposed: bound, why: by.why, frame }),
  ),
  resultPage(channelTestAct, (channels, { frame }) => testedPage({ channels, frame })),
]);

/** `page` gets the result and the request of this very act, so their types are known. */
function resultPage<Asked extends Given, Result>(
  act: { readonly run: (systems: never, given: Asked, by: Actor) => Promise<Result> },
  page: (result: Result, shown: Shown & { readonly given: Asked }) => Html | undefined,
): [object, (result: unknown, shown: Shown) => Html | undefined] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the map calls it with what the same act returned
  return [act, page as (result: unknown, shown: Shown) => Html | undefined];
}

/** Where a browser goes after an act. */
function nextPath(act: Act, { target, input }: Given, result: unknown): string {
  if (typeof target === "object") return "key" in target ? pathOf(target) : returnPath(target);
  if (target === undefined) return act.page ?? "/";
  const asked = act.bulk?.asked(result, input);
  if (act.bulk === undefined || asked === undefined) return "/";
  return donePath(act, target, act.bulk.count(result, input), asked);
}

/** The page that shows the current state of what a refused act concerns. */
function againPath(act: Act, c: Context): string | undefined {
  if (act.target === "return") return pathOfReturn(c);
  if (act.target === "returnStream") return returnsPath({ stream: c.req.param("returnStream") ?? "" });
  if (act.page !== "own") return act.target === "record" ? pathOfRecord(c) : act.page;
  return addressOf(act, c.req.param("stream"));
}

function pathOfRecord(c: Context): string | undefined {
  const id = addressedRecord(c);
  return id && pathOf(id);
}

function pathOfReturn(c: Context): string | undefined {
  const id = addressedReturn(c);
  return id && returnPath(id);
}

function actorOf(c: Context, gate: Gate, { why }: Sent): Actor {
  const { name, hasSession } = gate.visitor(c);
  const reason = typeof why === "string" ? why.trim().slice(0, textMax) : "";
  return {
    name: name ?? (hasSession || c.req.header("authorization") !== undefined ? "PAGE_TOKEN" : "page"),
    via: isApi(c) ? "api" : "page",
    ...(reason === "" ? {} : { why: reason }),
  };
}

/** Undefined if the body is not an object; an empty body counts as an empty object. */
async function sentWith(c: Context): Promise<Sent | undefined> {
  if (!isApi(c)) {
    const { csrf: _, ...fields } = await c.req.parseBody();
    return fields;
  }
  const text = await c.req.text();
  if (text.trim() === "") return {};
  const sent = parsedJson(text);
  return isJsonObject(sent) ? sent : undefined;
}

function isApi(c: Context): boolean {
  return c.req.path.startsWith("/api/");
}
