import { counted, type RecordId, type RecordState, type StreamName } from "#model";
import { attentionStates, groupIdOf, remedyOf } from "#operator";
import type { RecordView } from "#store";
import { html, scrollingTable, type Html } from "#server";
import { page, type Frame } from "../frame/layout.ts";
import { badge, instant, linkTo, reason, sentence } from "../frame/wording.ts";

export const recordsPerPage = 50;

/** Which records a list shows: by default those that need attention. */
export interface RecordsPageQuery {
  readonly stream?: StreamName | undefined;
  readonly state?: RecordState | undefined;
  readonly after?: RecordId | undefined;
}

export function statesOf({ state }: RecordsPageQuery): readonly RecordState[] {
  return state === undefined ? attentionStates : [state];
}

/** The address of a list. */
export function recordsPath({ stream, state, after }: RecordsPageQuery, path = "/records"): string {
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

/** A record with the words by which people know it. */
export interface TitledRecord extends RecordView {
  readonly title: string;
}

/** Adds the titles to what is shown. */
export async function titled(
  records: readonly RecordView[],
  titles: (records: readonly RecordView[]) => Promise<readonly string[]>,
): Promise<TitledRecord[]> {
  const found = await titles(records);
  return records.map((record, at) => ({ ...record, title: found[at] ?? "" }));
}

export interface RecordsPage {
  readonly query: RecordsPageQuery;
  /** In the order of the store; a full page ends with a link to the next one. */
  readonly records: readonly TitledRecord[];
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

function titleOf({ stream, state }: RecordsPageQuery): string {
  if (state === undefined) return stream === undefined ? "Held-up records" : `Held-up records of ${stream}`;
  return `${stream ?? "All streams"}: ${state}`;
}

/** Records with the reason for their state. Records with the same cause are beside each other, below what a person can do about it. */
export function recordsTable(caption: string, records: readonly TitledRecord[], now: number): Html {
  const groups = Map.groupBy(records, ({ id, state, error }) => JSON.stringify([state, groupIdOf({ id, error })]));
  return scrollingTable(
    heads,
    [...groups.values()].flatMap((group) => [...adviceRow(group), ...group.map((record) => recordRow(record, now))]),
    caption,
  );
}

const heads = ["Record", "State", "Reason", "Next try"];

/** What to do about records with the same cause: with the name of the record if there is only one. */
function adviceRow(group: readonly RecordView[]): readonly Html[] {
  const { id, error } = group[0]!;
  if (error === undefined) return [];
  const text = group.length === 1 ? remedyOf(error, id) : remedyOf(error, { stream: id.stream });
  const name = group.length === 1 ? "" : `${counted(group.length, "record")} of ${id.stream}, `;
  const advice = html`<tr class="advice">
    <th scope="colgroup" colspan="${heads.length}">
      ${name}<code>${error.code}</code>. <strong>What to do:</strong> ${sentence(text)}
    </th>
  </tr>`;
  return [advice];
}

function recordRow(record: TitledRecord, now: number): Html {
  return html`<tr>
    <th scope="row">${linkTo(record.id)}${subtitle(record.title)}</th>
    <td>${badge(record.state)}</td>
    <td>
      ${record.error === undefined ? undefined : reason(record.error)}
      ${record.waitsFor.length === 0 ? undefined : html`<br />parent: ${joined(record.waitsFor)}`}
    </td>
    <td class="number" data-head="Next try">${record.dueAt === undefined ? undefined : instant(record.dueAt, now)}</td>
  </tr>`;
}

/** A record's title below its key. */
function subtitle(title: string): Html | undefined {
  return title === "" ? undefined : html`<br /><span class="quiet">${title}</span>`;
}

/** Links to records in one line, each with its name, where one is given. */
export function joined(ids: readonly RecordId[], names: readonly string[] = []): Html[] {
  return ids.map((id, at) => {
    const name = names[at] ?? "";
    return html`${at === 0 ? "" : ", "}${linkTo(id)}${name === "" ? "" : ` (${name})`}`;
  });
}
