import { RETURN_STATES, type ReturnId, type ReturnState } from "#model";
import { openReturnStates, returnLabel, type ReturnStatus } from "#operator";
import { html, scrollingTable, type Html } from "#server";
import type { StoredReturn } from "#store";
import { page, type Frame } from "../frame/layout.ts";
import { badge, instant, reason, returnPath, returnsPath } from "../frame/wording.ts";
import { returnCard } from "./return-streams.ts";

export const returnsPerPage = 50;

export interface ReturnsPageQuery {
  readonly stream: string;
  /** By default those that are not settled. */
  readonly state: ReturnState | undefined;
  readonly after: ReturnId | undefined;
}

export function returnStatesOf({ state }: ReturnsPageQuery): readonly ReturnState[] {
  return state === undefined ? openReturnStates : [state];
}

export interface ReturnsPage {
  readonly query: ReturnsPageQuery;
  /** Undefined for a stream that is no longer in the sync file and of which nothing is open. */
  readonly status: ReturnStatus | undefined;
  readonly returns: readonly StoredReturn[];
  readonly frame: Frame;
  readonly now: number;
}

/** The returns of one stream. */
export function returnsPage({ query, status, returns, frame, now }: ReturnsPage): Html {
  const { stream, state } = query;
  const last = returns.length < returnsPerPage ? undefined : returns.at(-1);
  const title = `${stream}: ${state ?? "open"} returns`;
  return page({
    title: `svcsync: ${title}`,
    frame,
    main: html`<h1>${title}</h1>
      ${status === undefined ? undefined : html`<div class="cards">${returnCard(status, frame)}</div>`}
      <p>${RETURN_STATES.map((each) => html`<a href="${returnsPath({ stream, state: each })}">${each}</a> `)}</p>
      ${returns.length === 0 ? html`<p>There is none.</p>` : table(returns, now)}
      ${last === undefined ? undefined : html`<p><a href="${returnsPath({ ...query, after: last })}">Next page</a></p>`}`,
  });
}

function table(returns: readonly StoredReturn[], now: number): Html {
  return scrollingTable(
    ["Return", "State", "Since", "Why"],
    returns.map(
      (item) =>
        html`<tr>
          <th scope="row"><a href="${returnPath(item)}">${returnLabel(item)}</a></th>
          <td>${badge(item.state)} <span class="quiet">${item.kind}</span></td>
          <td data-head="Since">${instant(item.deliveredAt ?? item.preparedAt, now)}</td>
          <td data-head="Why">${item.error && reason(item.error)}</td>
        </tr>`,
    ),
    "In the order of their subjects",
  );
}
