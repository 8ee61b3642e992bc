import { counted, type RecordState } from "#model";
import {
  actText,
  attentionOf,
  returnNotes,
  returnUrgency,
  roughDuration,
  paceText,
  queueText,
  remedyOf,
  upkeepFailures,
  upkeepText,
  urgencyOf,
  whoText,
} from "#operator";
import type { StreamStatus } from "#pipeline";
import { html, scrollingTable, type Html } from "#server";
import type { HistoryHour, PersonAct } from "#store";
import type { Overview } from "../../contract.ts";
import { channelTestForm } from "./channel-test.ts";
import { groupCards, type NamedGroup } from "./group-cards.ts";
import { page, type Frame } from "../frame/layout.ts";
import { decisionForms } from "./stream-forms.ts";
import { streamHeads, streamRow } from "./stream-rows.ts";
import { returnStreams } from "../returns/return-streams.ts";
import { badge, instant, sentence } from "../frame/wording.ts";

export interface StatusPage {
  readonly overview: Overview;
  /** The result of the act that led here. */
  readonly done: Html | undefined;
  /** The causes of uncertain, parked and waiting records, in this order; the largest group first. */
  readonly held: readonly NamedGroup[];
  /** The number of groups that are not shown. */
  readonly moreHeld: number;
  /** What each stream did in the last 24 hours. */
  readonly history: readonly HistoryHour[];
  /** Recent acts of people, newest first. */
  readonly acts: readonly PersonAct[];
  /** The notification channels that are set up. */
  readonly channels: readonly string[];
  readonly frame: Frame;
  readonly now: number;
}

/** The first page: whether all is well, and if not, where and what to do. */
export function statusPage({ overview, done, held, moreHeld, history, acts, channels, frame, now }: StatusPage): Html {
  const { streams, startedAt } = overview;
  const noted = streams.filter(({ attention }) => attention.length > 0);
  return page({
    title: `svcsync: ${titles[colourOf(overview, now)]}`,
    frame,
    isLive: true,
    notes: html`<span>started ${instant(startedAt, now)}</span>`,
    main: html`${done} ${verdict(overview, now)}
      ${
        noted.length === 0
          ? undefined
          : html`<h2>Streams to look at</h2>
              <div class="cards">${noted.map((stream) => streamCard(stream, frame))}</div>`
      }
      ${
        held.length === 0
          ? undefined
          : html`<h2>Records that are held up</h2>
              ${groupCards(held, moreHeld, frame, now)}`
      }
      <h2>Streams</h2>
      ${scrollingTable(
        streamHeads,
        streams.map((stream) => streamRow(stream, history, frame, now)),
        "From the ERP to the service",
      )}
      ${returnStreams(overview.returns ?? [], frame)}
      <h2>Service and queue</h2>
      ${sides(overview, now)} ${upkeep(overview, now, channelTestForm(channels, frame))} ${actsTable(acts, now)}`,
  });
}

/** What a person should know or do about a stream: what holds it, what fails, and which fields the service drops. */
function streamCard(stream: StreamStatus, frame: Frame): Html {
  const { name, state, attention, cursor } = stream;
  const todo = cursor.error && remedyOf(cursor.error, { stream: name });
  return html`<article class="card ${state}">
    <h3>${name} ${badge(state)}</h3>
    <ul aria-label="${name}: attention">
      ${attention.map((text) => html`<li>${sentence(text)}</li>`)}
    </ul>
    ${todo === undefined ? undefined : html`<p class="todo"><strong>What to do:</strong> ${sentence(todo)}</p>`}
    ${decisionForms(stream, frame)}
  </article>`;
}

/** What needs a person or blocks records, one sentence each. A problem shared by several streams is reported once. */
export function problemsOf(overview: Overview, now: number): string[] {
  return [
    ...connectionProblems(overview),
    ...attentionOf(overview.streams),
    ...recordProblems(overview),
    ...returnNotes(overview.returns ?? []),
    ...upkeepProblems(overview, now),
  ];
}

function upkeepProblems({ upkeep: facts }: Overview, now: number): string[] {
  return facts === undefined ? [] : upkeepFailures(facts, now);
}

function connectionProblems({ service, queue }: Overview): string[] {
  const problems: string[] = [];
  if (service.state !== "closed")
    problems.push(
      "The service is failing. Nothing is lost; deliveries resume when it answers again (circuit breaker open). If it lasts, ask the provider of the service.",
    );
  if (queue === undefined)
    problems.push(
      "The queue does not answer. Nothing is lost; deliveries resume when it is back. If it lasts, check the server that QUEUE_URL names.",
    );
  return problems;
}

function recordProblems({ streams }: Overview): string[] {
  const problems: string[] = [];
  const uncertain = total(streams, "uncertain");
  const parked = total(streams, "parked");
  if (uncertain > 0) problems.push(`${counted(uncertain, "uncertain record")}: a person must check the service.`);
  if (parked > 0) problems.push(`${counted(parked, "parked record")}: a person must correct the named cause.`);
  return problems;
}

function total(streams: readonly StreamStatus[], state: RecordState): number {
  return streams.reduce((sum, { counts }) => sum + (counts[state] ?? 0), 0);
}

/** The answer to "is all well?" in one sentence, with its meaning below. */
function verdict(overview: Overview, now: number): Html {
  const details = [
    ...connectionProblems(overview),
    ...shortened(attentionOf(overview.streams)),
    ...recordProblems(overview),
    ...shortened(returnNotes(overview.returns ?? [])),
    ...upkeepDetails(overview, now),
  ];
  const colour = colourOf(overview, now);
  if (details.length === 0) details.push(...progressOf(overview.streams, now));
  const headline = headlineOf(overview, colour);
  return html`<div class="verdict ${colour}" role="status">
    <h1>${headline}</h1>
    ${details.map((text) => html`<p>${sentence(text.replace(headline, ""))}</p>`)}
  </div>`;
}

/** Problems of streams, without commands, which the cards below show. */
function shortened(notes: readonly string[]): string[] {
  const problems = notes.map((text) => `${text.split('; "svcsync ')[0]}.`);
  const more = problems.length - streamProblemsShown;
  return more > 0 ? [...problems.slice(0, streamProblemsShown), `${more} more below.`] : problems;
}

const streamProblemsShown = 5;

function upkeepDetails(overview: Overview, now: number): string[] {
  const failures = upkeepProblems(overview, now).map((text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`);
  return failures.length === 0 ? [] : [...failures, "Fix the cause; svcsync then retries automatically."];
}

/** What is in sync, and what is being delivered. */
function progressOf(streams: readonly StreamStatus[], now: number): string[] {
  const flowing = streams.filter(({ holds }) => holds.length === 0);
  const due = total(flowing, "due") + total(flowing, "claimed");
  const polls = streams.flatMap(({ cursor }) => cursor.polledAt ?? []);
  const applied = total(streams, "applied");
  const read = polls.length === 0 ? "" : `; every stream was read within ${roughDuration(now - Math.min(...polls))}`;
  return [
    applied === 0 ? [] : `${counted(applied, "record")} in step${polls.length === streams.length ? read : ""}.`,
    due === 0 ? [] : `${counted(due, "record")} on the way.`,
    streams.some(({ state }) => state === "loading") ? "No action is needed." : [],
  ].flat();
}

function headlineOf(overview: Overview, colour: keyof typeof titles): string {
  const { streams, service, queue, blockedRecords, returns = [] } = overview;
  if (colour === "good")
    return streams.some(({ state }) => state === "loading") ? "The first load is in progress." : "All is well.";
  if (service.state !== "closed") return "The service is failing.";
  if (queue === undefined) return "The queue does not answer.";
  const noted = streams.filter(({ attention }) => attention.length > 0);
  // Beside real trouble, a pause or records that wait for a parent need no one; only the cards below mention them.
  const concerned =
    colour === "bad" ? noted.filter((each) => urgencyOf([{ ...each, counts: {} }], blockedRecords) !== "none") : noted;
  const back = returns.filter((each) =>
    colour === "bad" ? returnUrgency([each]) !== "none" : each.attention.length > 0,
  );
  const names = [...concerned, ...back].map(({ name }) => name);
  const records = total(streams, "uncertain") + total(streams, "parked");
  const parts = [
    names.length === 0 ? [] : `${counted(names.length, "stream")} (${names.join(", ")})`,
    records === 0 ? [] : counted(records, "record"),
  ].flat();
  const verb = names.length + records === 1 ? "needs" : "need";
  if (
    colour === "bad" &&
    records + back.length === 0 &&
    concerned.every(({ state, deletionsHeld }) => state === "held" || deletionsHeld > 0)
  )
    return `A decision is needed: ${names.join(", ")}.`;
  if (colour === "bad") return `${parts.join(" and ")} ${verb} attention.`;
  const paused = streams.filter(({ state }) => state === "paused").map(({ name }) => name);
  return paused.length > 0 && paused.length === names.length
    ? `Paused: ${paused.join(", ")}. Everything else works.`
    : names.length === 0
      ? "Records are delivered, but the upkeep fails."
      : `Records are delivered. Check ${names.join(", ")}.`;
}

const titles = { bad: "needs attention", wait: "needs a check", good: "all well" } as const;

/**
 * Red where something is stuck; amber where records are delivered although some are blocked, a field is dropped or
 * upkeep fails.
 */
function colourOf(overview: Overview, now: number): keyof typeof titles {
  const { streams, blockedRecords, returns = [] } = overview;
  const urgencies = [urgencyOf(streams, blockedRecords), returnUrgency(returns)];
  if (connectionProblems(overview).length > 0 || urgencies.some((urgency) => urgency !== "none")) return "bad";
  return problemsOf(overview, now).length > 0 ? "wait" : "good";
}

/** Backups, comparisons with the service, and notification channels with their test; nothing where none is set up. */
function upkeep(overview: Overview, now: number, channelTest: Html | undefined): Html | undefined {
  const texts = overview.upkeep === undefined ? [] : upkeepText(overview.upkeep, now);
  if (texts.length === 0 && channelTest === undefined) return undefined;
  const failures = upkeepProblems(overview, now);
  const list = html`<ul aria-label="Upkeep">
    ${texts.map((text) => html`<li class="${failures.includes(text) ? "problem" : ""}">${sentence(text)}</li>`)}
  </ul>`;
  return html`<h2>Upkeep</h2>
    ${texts.length === 0 ? undefined : list} ${channelTest}`;
}

/** Who did what, when and why; nothing if there are no acts. */
function actsTable(acts: readonly PersonAct[], now: number): Html | undefined {
  if (acts.length === 0) return undefined;
  const rows = acts.map(
    (act) =>
      html`<tr>
        <td class="number">${instant(act.at, now)}</td>
        <td>${whoText(act.by)}</td>
        <td>${actText(act)}</td>
        <td data-head="Why">${act.by.why}</td>
      </tr>`,
  );
  return html`<h2>What people did</h2>
    ${scrollingTable(["When", "Who", "What", "Why"], rows, "The latest acts of the last 7 days")}`;
}

function sides({ service, queue }: Overview, now: number): Html {
  const probe = service.probeAt === undefined ? undefined : html`, next probe ${instant(service.probeAt, now)}`;
  const pace = paceText(service);
  return html`<dl>
    <dt>Service</dt>
    <dd>
      ${service.state === "closed" ? "answers" : `is failing (circuit breaker ${service.state})`}${probe}${pace === undefined ? undefined : `, ${pace}`};
      ${counted(service.concurrency, "request")} allowed at the same time; ${counted(service.requests, "request")} made
    </dd>
    <dt>Queue</dt>
    <dd>
      ${queue === undefined ? "does not answer" : `${queueText(queue.kind)}: ${counted(queue.waiting, "job")} waiting, ${queue.active} in flight`}
    </dd>
  </dl>`;
}
