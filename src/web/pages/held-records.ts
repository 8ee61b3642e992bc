import { attentionStates, remedyOf } from "#operator";
import type { StreamStatus } from "#pipeline";
import type { RecordView } from "#store";
import { html, type Content, type Html } from "./html.ts";
import { table } from "./layout.ts";
import { recordsPath } from "./records-page.ts";
import { badge, linkTo, reason, sentence } from "./wording.ts";

/** Links to records of one reason that are shown; the list has them all. */
const examplesShown = 3;

/** Records of one stream that are held up in one state for one reason. */
interface Group {
  readonly stream: StreamStatus;
  readonly records: readonly RecordView[];
}

/**
 * What is held up, a row for each stream, state and reason: a thousand records that wait for the same thing are one fact.
 * `records` are the first ones of each stream and state, which tell the reasons.
 */
export function heldRecords(streams: readonly StreamStatus[], records: readonly RecordView[]): Html {
  const groups = attentionStates.flatMap((state) =>
    streams.flatMap((stream) =>
      grouped(records.filter((record) => record.state === state && record.id.stream === stream.name)).map(
        (members) => ({
          stream,
          records: members,
        }),
      ),
    ),
  );
  if (groups.length === 0) return html`<p>None is uncertain, parked or waiting.</p>`;
  return html`${table(
      "Uncertain, parked and waiting records, by reason",
      ["Records", "Reason", "For example", "What to do"],
      groups.map((group) => groupRow(group, isOnly(group, groups))),
    )}
    <p><a href="${recordsPath({})}">All of them</a></p>`;
}

/** By reason. Waiting records name their parents in the message: there the code alone is the reason. */
function grouped(records: readonly RecordView[]): RecordView[][] {
  const groups = new Map<string, RecordView[]>();
  for (const record of records) {
    const { error, state } = record;
    const key = state === "waiting" ? (error?.code ?? "") : `${error?.code} ${error?.message}`;
    groups.set(key, [...(groups.get(key) ?? []), record]);
  }
  return [...groups.values()];
}

/** Whether all that its stream holds in this state has this reason, as far as was looked. */
function isOnly(group: Group, groups: readonly Group[]): boolean {
  const { state, id } = group.records[0]!;
  return groups.filter(({ records: [first] }) => first!.state === state && first!.id.stream === id.stream).length === 1;
}

function groupRow({ stream, records }: Group, only: boolean): Html {
  const { id, state, error } = records[0]!;
  const count = (stream.counts[state] ?? records.length).toLocaleString("en");
  return html`<tr>
    <th scope="row" class="number">
      ${only ? undefined : "some of "}<a href="${recordsPath({ stream: stream.name, state })}"
        >${count} ${stream.name}</a
      ><br />
      ${badge(state)}
    </th>
    <td>${error === undefined ? undefined : reason(error)}</td>
    <td>
      ${records.slice(0, examplesShown).map((record) => html`${linkTo(record.id)}<br />`)}
      ${records.length > examplesShown ? html`<span class="quiet">and more</span>` : undefined}
    </td>
    <td>${todo(state, remedyOf(state, id))}</td>
  </tr>`;
}

function todo(state: RecordView["state"], remedy: string | undefined): Content {
  return state === "waiting" || remedy === undefined ? html`<span class="quiet">${remedy}</span>` : sentence(remedy);
}
