import type { RecordId, RecordState, StreamName } from "#model";
import { attentionStates, recordRemedy } from "#operator";
import type { RecordView } from "#store";
import { html, table, type Html } from "#server";
import { page, type Frame } from "../frame/layout.ts";
import { badge, instant, linkTo, reason, sentence } from "../frame/wording.ts";

export const recordsPerPage = 50;

/** Which records a list shows: by default those that need attention. */
export interface RecordsQuery {
  readonly stream?: StreamName | undefined;
  readonly state?: RecordState | undefined;
  readonly after?: RecordId | undefined;
}

export function statesOf({ state }: RecordsQuery): readonly RecordState[] {
  return state === undefined ? attentionStates : [state];
}

/** The address of a list. */
export function recordsPath({ stream, state, after }: RecordsQuery, path = "/records"): string {
  const parameters = new URLSearchParams();
  if (stream !== undefined) parameters.set("stream", stream);
  if (state !== undefined) parameters.set("state", state);
  if (after !== undefined) {
    parameters.set("after-stream", after.stream);
    parameters.set("after-key", after.key);
  }
  const query = parameters.toString();
  return query === "" ? path : `${path}?${query}`;
}

export interface RecordsPage {
  readonly query: RecordsQuery;
  /** In the order of the store; a full page ends with a link to the next one. */
  readonly records: readonly RecordView[];
  readonly frame: Frame;
  readonly now: number;
}

export function recordsPage({ query, records, frame, now }: RecordsPage): Html {
  const title = titleOf(query);
  const last = records.length < recordsPerPage ? undefined : records.at(-1);
  return page({
    title: `svcsync: ${title}`,
    frame,
    main: html`<h1>${title}</h1>
      ${records.length === 0 ? html`<p>No records.</p>` : recordsTable("State of each record, its reason and what to do", records, now)}
      ${records.length === 0 ? undefined : html`<p><a href="${recordsPath(query, "/records.csv")}">Save as CSV</a></p>`}
      ${last === undefined ? undefined : html`<p><a href="${recordsPath({ ...query, after: last.id })}">Next</a></p>`}`,
  });
}

function titleOf({ stream, state }: RecordsQuery): string {
  if (state === undefined) return stream === undefined ? "Held-up records" : `Held-up records of ${stream}`;
  return `${stream ?? "All streams"}: ${state}`;
}

/** Records with the reason for their state and what a person can do. */
export function recordsTable(caption: string, records: readonly RecordView[], now: number): Html {
  return table(
    ["Record", "State", "Reason", "Next try", "What to do"],
    records.map((record) => recordRow(record, now)),
    caption,
  );
}

function recordRow(record: RecordView, now: number): Html {
  return html`<tr>
    <th scope="row">${linkTo(record.id)}</th>
    <td>${badge(record.state)}</td>
    <td>
      ${record.error === undefined ? undefined : reason(record.error)}
      ${record.waitsFor.length === 0 ? undefined : html`<br />parent: ${joined(record.waitsFor)}`}
    </td>
    <td class="number" data-head="Next try">${record.dueAt === undefined ? undefined : instant(record.dueAt, now)}</td>
    <td>${remedy(record)}</td>
  </tr>`;
}

function remedy(record: RecordView): Html | undefined {
  const text = recordRemedy(record);
  return text === undefined ? undefined : sentence(text);
}

export function joined(ids: readonly RecordId[]): Html[] {
  return ids.map((id, at) => (at === 0 ? linkTo(id) : html`, ${linkTo(id)}`));
}
