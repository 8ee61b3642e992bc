import type { RecordState } from "#model";
import { attentionOf, counted } from "#operator";
import type { StreamStatus } from "#pipeline";
import type { RecordView } from "#store";
import type { Overview } from "../contract.ts";
import { heldRecords } from "./held-records.ts";
import { html, type Html } from "./html.ts";
import { page, table } from "./layout.ts";
import { streamHeads, streamRows } from "./stream-rows.ts";
import { instant } from "./wording.ts";

const refreshSeconds = 10;

export interface StatusPage {
  readonly overview: Overview;
  /** The first records of each stream that are uncertain, parked or waiting. */
  readonly held: readonly RecordView[];
  readonly refresh: boolean;
  readonly version: string;
  readonly now: number;
}

/** The first page: is all well, and if not, where and what to do. */
export function statusPage({ overview, held, refresh, version, now }: StatusPage): Html {
  return page({
    title: `svcsync: ${problemsOf(overview).length === 0 ? "all well" : "needs attention"}`,
    version,
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
  if (service.state !== "closed") problems.push("The service does not answer well; only probes are sent.");
  if (queue === undefined) problems.push("The queue does not answer; nothing is lost, deliveries go on once it does.");
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
    return html`<div class="verdict ${isStuck(overview) ? "bad" : "wait"}" role="status">
      ${headlines.map((text) => html`<p>${text}</p>`)}
    </div>`;
  const due = total(overview.streams, "due") + total(overview.streams, "claimed");
  const rest = due === 0 ? "Nothing is due." : `${counted(due, "record")} on the way.`;
  return html`<div class="verdict" role="status"><p>All well. ${rest}</p></div>`;
}

/** False where records flow, although some wait, deletions want a word, or the service drops a field. */
function isStuck(overview: Overview): boolean {
  return (
    connectionProblems(overview).length > 0 ||
    recordProblems(overview).length > 0 ||
    overview.streams.some(({ state }) => state === "failing" || state === "held")
  );
}

function sides({ service, queue }: Overview, now: number): Html {
  const probe = service.probeAt === undefined ? undefined : html`, next probe ${instant(service.probeAt, now)}`;
  return html`<dl>
    <dt>Service</dt>
    <dd>
      ${service.state === "closed" ? "answers" : `does not answer well (breaker ${service.state})`}${probe};
      ${counted(service.concurrency, "request")} at once allowed; ${counted(service.requests, "request")} made
    </dd>
    <dt>Queue</dt>
    <dd>
      ${queue === undefined ? "does not answer" : `${counted(queue.waiting, "job")} waiting, ${queue.active} in flight`}
    </dd>
  </dl>`;
}
