import type { RecordState } from "#model";
import { attentionOf, counted, paceText, urgencyOf, type ErrorGroup } from "#operator";
import type { StreamStatus } from "#pipeline";
import type { Overview } from "../contract.ts";
import { heldRecords } from "./held-records.ts";
import { html, type Html } from "#server";
import { page, table, type Frame } from "./layout.ts";
import { streamHeads, streamRows } from "./stream-rows.ts";
import { instant } from "./wording.ts";

const refreshSeconds = 10;

export interface StatusPage {
  readonly overview: Overview;
  /** What holds up the first records of each stream that are uncertain, parked or waiting; the largest group first. */
  readonly held: readonly ErrorGroup[];
  readonly refresh: boolean;
  readonly frame: Frame;
  readonly now: number;
}

/** The first page: is all well, and if not, where and what to do. */
export function statusPage({ overview, held, refresh, frame, now }: StatusPage): Html {
  return page({
    title: `svcsync: ${titles[colourOf(overview)]}`,
    frame,
    refreshSeconds: refresh ? refreshSeconds : undefined,
    notes: html`<span>started ${instant(overview.startedAt, now)}</span> ${
        refresh
          ? html`<span>refreshed every ${refreshSeconds} s: <a href="/?refresh=off">pause</a></span>`
          : html`<span>not refreshed: <a href="/">resume</a></span>`
      }`,
    main: html`<h1>Status</h1>
      ${verdict(overview)}
      <h2>Streams</h2>
      ${table(
        "Each stream from the ERP to the service",
        streamHeads,
        overview.streams.map((stream) => streamRows(stream, now)),
      )}
      <h2>Records that are held up</h2>
      ${heldRecords(overview.streams, held)}
      <h2>The other sides</h2>
      ${sides(overview, now)}`,
  });
}

/** What needs a person or keeps records from flowing, one sentence each; what streams suffer from alike is said once. */
export function problemsOf(overview: Overview): string[] {
  return [...connectionProblems(overview), ...attentionOf(overview.streams), ...recordProblems(overview)];
}

/** The same for people, who find the sentences of each stream below it. */
function headlinesOf(overview: Overview): string[] {
  const led = overview.streams.filter(({ attention }) => attention.length > 0);
  const streams = led.map(({ name, state }) => (state === "following" ? name : `${name} (${state})`)).join(", ");
  const headline = led.length === 0 ? [] : [`Look at ${streams}: what is wrong and what to do stands below each.`];
  return [...connectionProblems(overview), ...headline, ...recordProblems(overview)];
}

function connectionProblems({ service, queue }: Overview): string[] {
  const problems: string[] = [];
  if (service.state !== "closed")
    problems.push(
      "The service is failing (circuit breaker open). Only probes are sent; all else waits and loses nothing.",
    );
  if (queue === undefined)
    problems.push("The queue does not answer. Nothing is lost; deliveries resume when it is back.");
  return problems;
}

function recordProblems({ streams }: Overview): string[] {
  const problems: string[] = [];
  const uncertain = total(streams, "uncertain");
  const parked = total(streams, "parked");
  if (uncertain > 0) problems.push(`${counted(uncertain, "uncertain record")}: a person must look in the service.`);
  if (parked > 0) problems.push(`${counted(parked, "parked record")}: a person must repair what the reason names.`);
  return problems;
}

function total(streams: readonly StreamStatus[], state: RecordState): number {
  return streams.reduce((sum, { counts }) => sum + (counts[state] ?? 0), 0);
}

function verdict(overview: Overview): Html {
  const headlines = headlinesOf(overview);
  if (headlines.length > 0)
    return html`<div class="verdict ${colourOf(overview)}" role="status">
      ${headlines.map((text) => html`<p>${text}</p>`)}
    </div>`;
  const due = total(overview.streams, "due") + total(overview.streams, "claimed");
  const rest = due === 0 ? "Nothing is due." : `${counted(due, "record")} on the way.`;
  return html`<div class="verdict" role="status"><p>All well. ${rest}</p></div>`;
}

const titles = { bad: "needs attention", wait: "worth a look", good: "all well" } as const;

/** Red where something is stuck; amber where records flow, although some are blocked or the service drops a field. */
function colourOf(overview: Overview): keyof typeof titles {
  const { streams, blockedRecords } = overview;
  if (connectionProblems(overview).length > 0 || urgencyOf(streams, blockedRecords) !== "none") return "bad";
  return problemsOf(overview).length > 0 ? "wait" : "good";
}

function sides({ service, queue }: Overview, now: number): Html {
  const probe = service.probeAt === undefined ? undefined : html`, next probe ${instant(service.probeAt, now)}`;
  const pace = paceText(service);
  return html`<dl>
    <dt>Service</dt>
    <dd>
      ${service.state === "closed" ? "answers" : `is failing (circuit breaker ${service.state})`}${probe}${pace === undefined ? undefined : `, ${pace}`};
      ${counted(service.concurrency, "request")} at once allowed; ${counted(service.requests, "request")} made
    </dd>
    <dt>Queue</dt>
    <dd>
      ${queue === undefined ? "does not answer" : `${counted(queue.waiting, "job")} waiting, ${queue.active} in flight`}
    </dd>
  </dl>`;
}
