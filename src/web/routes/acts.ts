import { errorFacts, ParkError, recordLabel, SyncError, type Actor, type RecordId } from "#model";
import type { App, Context } from "#server";
import { redacted } from "#telemetry";
import type { Gate } from "../access/gate.ts";
import { finalVerbs, recordVerbs, streamVerbs, type PageActs, type RecordVerb, type StreamVerb } from "../acts.ts";
import { groupAct } from "./group-acts.ts";
import { jsonAnswer } from "../json-answer.ts";
import { bindingPage, refusedPage } from "../pages/record/act-pages.ts";
import { pathOf, streamPath } from "../pages/frame/wording.ts";
import { idOf, recordPaths } from "./record-address.ts";
import type { RouteDeps } from "../route-deps.ts";

const whyMax = 500;

/** What was sent with an act: fields of a form, or members of a JSON object. */
type Sent = Readonly<Record<string, unknown>>;

/** The result of an act: a fact for scripts, and where a browser goes next. */
interface Done {
  readonly fact: object;
  readonly next: string;
}

/** All acts of people: forms of the pages, and the same as JSON under `/api`. */
export function addActs(app: App, deps: RouteDeps, gate: Gate): void {
  const { acts } = deps.status;
  const routes: [path: string, run: (c: Context, sent: Sent, by: Actor) => Promise<Done | Response>][] = [
    ...recordPaths.map(
      (path) =>
        [
          `${path}/:verb{${recordVerbs.join("|")}}`,
          async (c: Context, sent: Sent, by: Actor) => {
            const id = idOf(c);
            if (id === undefined || (await deps.status.record(id)) === undefined) return c.notFound();
            const verb = recordVerbs.find((known) => known === c.req.param("verb"))!;
            return verb === "bind"
              ? bind(c, id, sent, by)
              : { ...(await recordAct(acts, verb, id, sent, by)), next: pathOf(id) };
          },
        ] as (typeof routes)[number],
    ),
    [
      "/groups/:group/:verb{retry|note}",
      async (c, sent, by) => {
        const [group, verb] = [c.req.param("group") ?? "", c.req.param("verb") ?? ""];
        const fact = await groupAct(acts, { group, verb, sent }, by);
        return typeof fact === "string" ? refused(c, fact) : { fact, next: "/" };
      },
    ],
    [
      "/adoption/:verb{compare}",
      async () => {
        await acts.compareAdoption();
        return { fact: { done: "compare" }, next: "/adoption" };
      },
    ],
    [
      `/streams/:stream/:verb{${streamVerbs.join("|")}}`,
      async (c, sent, by) => {
        const stream = c.req.param("stream") ?? "";
        if (!deps.status.streams.includes(stream)) return c.notFound();
        const verb = streamVerbs.find((known) => known === c.req.param("verb"))!;
        return { ...(await streamAct(acts, verb, stream, sent, by)), next: "/" };
      },
    ],
  ];

  const bind = async (c: Context, id: RecordId, sent: Sent, by: Actor): Promise<Done | Response> => {
    const serviceId = Number(sent["serviceId"]);
    if (!Number.isSafeInteger(serviceId) || serviceId < 1)
      return refused(c, "the service id is a whole number above 0");
    const found = await acts.bind({ id, serviceId, isMeant: isConfirmed(sent) }, by);
    if (found.isBound || isApi(c)) return { fact: redacted(found, deps.redact), next: pathOf(id) };
    const frame = { version: deps.version, visitor: gate.visitor(c) };
    return c.html(bindingPage({ id, serviceId, proposed: redacted(found, deps.redact), why: by.why, frame }));
  };
  const refused = (c: Context, message: string, code?: string) => {
    const text = deps.redact(message);
    if (isApi(c)) return jsonAnswer(c, { error: text, code }, 409);
    return c.html(
      refusedPage({ message: text, again: againPath(c), frame: { version: deps.version, visitor: gate.visitor(c) } }),
      409,
    );
  };

  for (const [path, run] of routes)
    for (const prefix of ["", "/api"])
      app.post(`${prefix}${path}`, async (c) => {
        const sent = await sentWith(c);
        const by = actorOf(c, gate, sent);
        const wanted = missing(c.req.param("verb"), sent, by);
        if (wanted !== undefined) return refused(c, wanted);
        try {
          const done = await run(c, sent, by);
          if (done instanceof Response) return done;
          // 303: the browser fetches the page with GET, so that loading it again does not repeat the act.
          return isApi(c) ? jsonAnswer(c, done.fact) : c.redirect(done.next, 303);
        } catch (thrown) {
          if (!(thrown instanceof SyncError) || thrown.family === "stop") throw thrown;
          const { message, code } = errorFacts(thrown);
          return refused(c, message, code);
        }
      });
}

async function recordAct(
  acts: PageActs,
  verb: Exclude<RecordVerb, "bind">,
  id: RecordId,
  sent: Sent,
  by: Actor,
): Promise<Pick<Done, "fact">> {
  const run = {
    retry: async () => ({ due: await acts.retry(id, by) }),
    skip: () => acts.skip(id, by),
    create: () => acts.create(id, by),
    unbind: () => acts.unbind(id, by),
    reread: () => acts.reread(id, by),
    watch: () => acts.watch({ id, minutes: Number(sent["minutes"]) }, by),
    forget: () => acts.forget(id, by),
  };
  return { fact: { record: recordLabel(id), done: verb, ...(await run[verb]()) } };
}

async function streamAct(
  acts: PageActs,
  verb: StreamVerb,
  stream: string,
  sent: Sent,
  by: Actor,
): Promise<Pick<Done, "fact">> {
  if (verb === "resume") await acts.resume(stream, by);
  if (verb === "reread") await acts.rereadStream(stream, by);
  if (verb === "pause") await acts.pause({ stream, hours: Number(sent["hours"]), polls: isYes(sent["polls"]) }, by);
  if (verb === "deletions") await acts.confirmDeletions({ stream, count: Number(sent["count"]) }, by);
  if (verb === "plan") return { fact: { stream, done: verb, updates: await confirmedPlan(acts, stream, sent, by) } };
  if (verb === "adopt") await acts.adopt({ stream, decision: decisionOf(sent) }, by);
  return { fact: { stream, done: verb } };
}

/** The page of what a refused act is about. */
function againPath(c: Context): string | undefined {
  const { verb, stream } = c.req.param() as Readonly<Record<string, string | undefined>>;
  if (stream === undefined) return undefined;
  if (verb === "plan" || verb === "deletions") return `${streamPath(stream)}/${verb}`;
  if (verb === "adopt") return "/adoption";
  const id = idOf(c);
  return id && pathOf(id);
}

async function confirmedPlan(acts: PageActs, stream: string, { plan }: Sent, by: Actor): Promise<number> {
  if (typeof plan !== "string")
    throw new ParkError("E_PLAN_OUTDATED", "no plan was named: send the id of the plan (plan)");
  return acts.confirmPlan({ stream, plan }, by);
}

function decisionOf({ decision = "adopt" }: Sent): "adopt" | "create-all" {
  if (decision === "adopt" || decision === "create-all") return decision;
  throw new ParkError("E_NOT_RESOLVABLE", "decision: wanted adopt or create-all. Nothing was decided");
}

/** What an act lacks that cannot be taken back. */
function missing(verb: string | undefined, sent: Sent, { why }: Actor): string | undefined {
  if (![...finalVerbs].some((known) => known === verb)) return undefined;
  if (why === undefined) return "this cannot be undone: give the reason (why)";
  return isConfirmed(sent) ? undefined : "this cannot be undone: confirm that you mean it (confirm: yes)";
}

function isConfirmed({ confirm }: Sent): boolean {
  return isYes(confirm);
}

function isYes(sent: unknown): boolean {
  return sent === "yes" || sent === true;
}

function actorOf(c: Context, gate: Gate, { why }: Sent): Actor {
  const { name, hasSession } = gate.visitor(c);
  const reason = typeof why === "string" ? why.trim().slice(0, whyMax) : "";
  return {
    name: name ?? (hasSession || c.req.header("authorization") !== undefined ? "PAGE_TOKEN" : "page"),
    via: isApi(c) ? "api" : "page",
    ...(reason === "" ? {} : { why: reason }),
  };
}

async function sentWith(c: Context): Promise<Sent> {
  if (!isApi(c)) return c.req.parseBody();
  const sent: unknown = await c.req.json().catch(() => undefined);
  return typeof sent === "object" && sent !== null ? { ...sent } : {};
}

function isApi(c: Context): boolean {
  return c.req.path.startsWith("/api/");
}
