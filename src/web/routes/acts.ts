import { errorFacts, SyncError, type Actor, type RecordId } from "#model";
import { noChannel } from "#notify";
import type { App, Context } from "#server";
import { redacted } from "#telemetry";
import type { Gate } from "../access/gate.ts";
import { finalVerbs, recordVerbs, streamVerbs, type PageActs } from "../acts.ts";
import { pathOf, streamPath } from "../pages/frame/wording.ts";
import { bindingPage, refusedPage } from "../pages/record/act-pages.ts";
import { donePath } from "../pages/status/done-note.ts";
import { testedPage } from "../pages/status/channel-test.ts";
import { jsonAnswer, type PageDeps } from "../route-deps.ts";
import { groupAct, recordAct, streamAct } from "./carry-out.ts";
import { idOf, noRecord, noStream, recordPaths } from "./record-address.ts";
import { bodies, isConfirmed, problemIn, textMax, type Sent } from "./sent.ts";

/** The result of an act: a fact for scripts, and where a browser goes next. */
interface Done {
  readonly fact: object;
  readonly next: string;
}

type Run = (c: Context, sent: Sent, by: Actor) => Promise<Done | Response>;

/** All acts of people: forms of the pages, and the same as JSON under `/api`. */
export function addActs(app: App, deps: PageDeps, gate: Gate): void {
  const acts = new Acts(deps, gate);
  const add = (path: string, run: Run) => {
    for (const prefix of ["", "/api"]) app.post(`${prefix}${path}`, (c) => acts.answer(c, run));
  };
  for (const path of recordPaths) add(`${path}/:verb{${recordVerbs.join("|")}}`, acts.onRecord);
  add("/groups/:group/:verb{retry|note}", acts.onGroup);
  add("/adoption/:verb{compare}", acts.compare);
  add("/notify/:verb{test}", acts.testChannels);
  add(`/streams/:stream/:verb{${streamVerbs.join("|")}}`, acts.onStream);
}

class Acts {
  readonly #deps: PageDeps;
  readonly #gate: Gate;
  readonly #acts: PageActs;

  constructor(deps: PageDeps, gate: Gate) {
    this.#deps = deps;
    this.#gate = gate;
    this.#acts = deps.status.acts;
  }

  /** Carries out what was sent, and redirects a browser. */
  async answer(c: Context, run: Run): Promise<Response> {
    const verb = c.req.param("verb") ?? "";
    const sent = await sentWith(c);
    if (sent === undefined) return this.#wrong(c, "body: expected a JSON object");
    const by = actorOf(c, this.#gate, sent);
    const wanted = missing(verb, sent, by);
    if (wanted !== undefined) return this.#refused(c, wanted);
    const problem = problemIn(verb, sent);
    if (problem !== undefined) return this.#wrong(c, problem);
    try {
      const done = await run(c, sent, by);
      if (done instanceof Response) return done;
      // 303: the browser fetches the page with GET, so that loading it again does not repeat the act.
      return isApi(c) ? jsonAnswer(c, done.fact) : c.redirect(done.next, 303);
    } catch (thrown) {
      if (!(thrown instanceof SyncError) || thrown.family === "stop") throw thrown;
      const { message, code } = errorFacts(thrown);
      return this.#refused(c, message, code);
    }
  }

  readonly onRecord: Run = async (c, sent, by) => {
    const id = idOf(c);
    const verb = recordVerbs.find((known) => known === c.req.param("verb"));
    if (!id || !verb) return c.notFound();
    if ((await this.#deps.status.record(id)) === undefined) return c.text(`${noRecord(id)}\n`, 404);
    if (verb === "bind") return this.#bind(c, id, sent, by);
    return { fact: await recordAct(this.#acts, { id, verb, sent }, by), next: pathOf(id) };
  };

  readonly onGroup: Run = async (c, sent, by) => {
    const [group, verb] = [c.req.param("group") ?? "", c.req.param("verb") ?? ""];
    const fact = await groupAct(this.#acts, { group, verb, sent }, by);
    if (typeof fact === "string") return this.#wrong(c, fact);
    const { count: of } = verb === "retry" ? bodies.retry.parse(sent) : {};
    return { fact, next: of === undefined || !("due" in fact) ? "/" : donePath({ act: "retry", count: fact.due, of }) };
  };

  readonly onStream: Run = async (c, sent, by) => {
    const stream = c.req.param("stream") ?? "";
    const verb = streamVerbs.find((known) => known === c.req.param("verb"));
    if (!verb || !this.#deps.status.streams.includes(stream))
      return c.text(`${noStream(stream, this.#deps.status)}\n`, 404);
    const fact = await streamAct(this.#acts, { stream, verb, sent }, by);
    const count =
      "updates" in fact ? fact.updates : verb === "deletions" ? bodies.deletions.parse(sent).count : undefined;
    const isBulk = verb === "deletions" || verb === "plan";
    return { fact, next: isBulk && count !== undefined ? donePath({ act: verb, count, stream }) : "/" };
  };

  readonly compare: Run = async () => {
    await this.#acts.compareAdoption();
    return { fact: { done: "compare" }, next: "/adoption" };
  };

  readonly testChannels: Run = async (c, _, by) => {
    const channels = redacted(await this.#acts.testChannels(by), this.#deps.redact);
    if (channels.length === 0) return this.#refused(c, noChannel);
    if (isApi(c)) return { fact: { channels }, next: "/" };
    return c.html(testedPage({ channels, frame: this.#deps.frameOf(c) }));
  };

  async #bind(c: Context, id: RecordId, sent: Sent, by: Actor): Promise<Done | Response> {
    const { serviceId } = bodies.bind.parse(sent);
    const found = await this.#acts.bind({ id, serviceId, isMeant: isConfirmed(sent) }, by);
    const shown = redacted(found, this.#deps.redact);
    if (found.isBound || isApi(c)) return { fact: shown, next: pathOf(id) };
    return c.html(bindingPage({ id, serviceId, proposed: shown, why: by.why, frame: this.#deps.frameOf(c) }));
  }

  #refused(c: Context, text: string, code?: string, status: 400 | 409 = 409): Response | Promise<Response> {
    const message = this.#deps.redact(text);
    if (isApi(c)) return jsonAnswer(c, { error: message, code }, status);
    return c.html(refusedPage({ message, again: againPath(c), frame: this.#deps.frameOf(c) }), status);
  }

  /** The request does not fit the act: nothing was done. */
  #wrong(c: Context, text: string): Response | Promise<Response> {
    return this.#refused(c, text, undefined, 400);
  }
}

/** The page of the record or stream that a refused act concerns. */
function againPath(c: Context): string | undefined {
  const { verb, stream } = c.req.param() as Readonly<Record<string, string | undefined>>;
  if (stream === undefined) return undefined;
  if (verb === "plan" || verb === "deletions") return `${streamPath(stream)}/${verb}`;
  if (verb === "adopt") return "/adoption";
  const id = idOf(c);
  return id && pathOf(id);
}

/** What is missing for an act that needs a reason and a confirmation. */
function missing(verb: string, sent: Sent, { why }: Actor): string | undefined {
  if (![...finalVerbs].some((known) => known === verb)) return undefined;
  if (why === undefined) return "nothing was done: give the reason (why)";
  return isConfirmed(sent) ? undefined : "nothing was done: the confirmation is missing (confirm: yes)";
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
  const sent = jsonIn(text);
  return typeof sent === "object" && sent !== null && !Array.isArray(sent) ? { ...sent } : undefined;
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isApi(c: Context): boolean {
  return c.req.path.startsWith("/api/");
}
