import type { RecordState } from "#model";
import type { RecordView } from "#store";
import type { Overview, StreamStatus } from "../contract.ts";
import { html, type Content, type Html } from "./html.ts";
import { page, table } from "./layout.ts";
import { recordsPath, recordsTable } from "./records-page.ts";
import { allStates, badge, counted, duration, instant, reason } from "./wording.ts";

const refreshSeconds = 10;

export interface StatusPage {
  readonly overview: Overview;
  /** The first records that are uncertain, parked or waiting. */
  readonly attention: readonly RecordView[];
  readonly refresh: boolean;
  readonly version: string;
  readonly now: number;
}

/** The first page: is all well, and if not, where and what to do. */
export function statusPage({ overview, attention, refresh, version, now }: StatusPage): Html {
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
        ["Stream", "Last poll", "Cursor", "Records by state", "Last error"],
        overview.streams.map((stream) => streamRow(stream, now)),
      )}
      <h2>Records that are held up</h2>
      ${
        attention.length === 0
          ? html`<p>None is uncertain, parked or waiting.</p>`
          : html`${recordsTable("Uncertain, parked and waiting records", attention, now)}
              <p><a href="${recordsPath({})}">All of them</a></p>`
      }
      <h2>The other sides</h2>
      ${sides(overview, now)}`,
  });
}

/** What needs a person or keeps records from flowing, one sentence each. */
export function problemsOf({ streams, service, queue }: Overview): string[] {
  const problems: string[] = [];
  if (service.state !== "closed") problems.push("The service does not answer well; only probes are sent.");
  if (queue === undefined) problems.push("The queue does not answer; nothing is lost, deliveries go on once it does.");
  for (const { name, hold, cursor } of streams) {
    if (hold !== undefined) problems.push(`${name} is on hold: ${hold.reason}. ${hold.remedy}`);
    if (cursor.error !== undefined) problems.push(`The last poll of ${name} failed: ${cursor.error.message}`);
  }
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
  const problems = problemsOf(overview);
  if (problems.length > 0)
    return html`<div class="verdict bad" role="status">${problems.map((problem) => html`<p>${problem}</p>`)}</div>`;
  const due = total(overview.streams, "due") + total(overview.streams, "claimed");
  const rest = due === 0 ? "Nothing is due." : `${counted(due, "record")} on the way.`;
  return html`<div class="verdict" role="status"><p>All well. ${rest}</p></div>`;
}

function streamRow(stream: StreamStatus, now: number): Html {
  const { name, source, resource, cursor } = stream;
  const poll = cursor.polledAt === undefined ? "not yet" : instant(cursor.polledAt, now);
  return html`<tr>
    <th scope="row">${name}<br /><span class="quiet">${source} → ${resource}</span></th>
    <td>${poll}<br /><span class="quiet">${pollFacts(stream, now)}</span></td>
    <td>
      <span class="value cursor">${cursor.cursor === null ? "from the beginning" : JSON.stringify(cursor.cursor)}</span>
    </td>
    <td>${counts(stream)}</td>
    <td>${lastError(stream, now)}</td>
  </tr>`;
}

function pollFacts({ cursor }: StreamStatus, now: number): Content {
  if (cursor.firstLoad) return `first load, ${counted(cursor.rowsRead, "row")} so far`;
  if (cursor.completedAt === undefined) return undefined;
  return `lag ${duration(now - cursor.completedAt)}`;
}

function counts({ name, counts }: StreamStatus): Html {
  const present = allStates.filter((state) => (counts[state] ?? 0) > 0);
  if (present.length === 0) return html`<span class="quiet">none</span>`;
  return html`<ul class="counts">
    ${present.map(
      (state) =>
        html`<li>
          <a href="${recordsPath({ stream: name, state })}">${(counts[state] ?? 0).toLocaleString("en")}</a>
          ${badge(state)}
        </li>`,
    )}
  </ul>`;
}

function lastError({ cursor, hold }: StreamStatus, now: number): Html {
  const held = hold === undefined ? undefined : html`<p><strong>On hold:</strong> ${hold.reason}. ${hold.remedy}</p>`;
  if (cursor.error === undefined) return held ?? html`<span class="quiet">none</span>`;
  return html`${held}${reason(cursor.error)} <span class="quiet">${instant(cursor.error.at, now)}</span>`;
}

function sides({ service, queue }: Overview, now: number): Html {
  const probe = service.probeAt === undefined ? undefined : html`, next probe ${instant(service.probeAt, now)}`;
  return html`<dl>
    <dt>Service</dt>
    <dd>
      breaker ${service.state}${probe}; ${counted(service.concurrency, "request")} at once allowed;
      ${counted(service.requests, "request")} made
    </dd>
    <dt>Queue</dt>
    <dd>
      ${queue === undefined ? "does not answer" : `${counted(queue.waiting, "wake-up")} waiting, ${queue.active} in flight`}
    </dd>
  </dl>`;
}
