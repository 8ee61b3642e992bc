import { grouped } from "#model";
import { adoptAct, adoptionVerdicts, blindTexts, compareAct, verdictMeanings, type AdoptionReport } from "#operator";
import type { Held, PlannedRecord, StreamStatus } from "#pipeline";
import { html, scrollingTable, type Html } from "#server";
import type { AdoptionState } from "../../contract.ts";
import { addressOf, openForm } from "../frame/act-form.ts";
import { cell, csrfField, page, type Frame } from "../frame/layout.ts";
import { shown } from "../frame/values.ts";
import { instant, linkTo, reason, sentence } from "../frame/wording.ts";

interface AdoptionPage {
  readonly streams: readonly StreamStatus[];
  readonly state: AdoptionState;
  readonly frame: Frame;
  readonly now: number;
}

/** Streams that wait for a decision about existing records of the service: what matches, and the form that decides. */
export function adoptionPage({ streams, state, frame, now }: AdoptionPage): Html {
  const held = streams.flatMap(({ name, holds }) => {
    const hold = holds.find(({ kind }) => kind === "adoption");
    return hold === undefined ? [] : { name, hold };
  });
  return page({
    title: "svcsync: existing records",
    frame,
    isLive: state.kind === "running",
    main: html`<h1>Existing records of the service</h1>
      ${
        held.length === 0
          ? html`<p>No stream waits for a decision about existing records.</p>`
          : html`<p>
                The service holds records that svcsync does not know. Some of them may be the ERP's: those are bound, so
                that nothing is created twice. Nothing of these streams is delivered until a person decides.
              </p>
              ${comparison(state, frame, now)}`
      }
      ${held.map(({ name, hold }) => section(name, hold, state, frame))}`,
  });
}

function comparison(state: AdoptionState, frame: Frame, now: number): Html {
  if (state.kind === "running")
    return html`<p role="status">
      The comparison began ${instant(state.at, now)} and is still running. <a href="/adoption">Look again</a>
    </p>`;
  const button = html`<form class="acts" method="post" action="${addressOf(compareAct, undefined)}">
    ${csrfField(frame.visitor)}<button class="${state.kind === "done" ? "plain" : ""}">
      ${state.kind === "never" ? "Compare with the service" : "Compare again"}
    </button>
  </form>`;
  const text =
    state.kind === "never"
      ? html`<p>The comparison reads all records of the service and writes nothing.</p>`
      : state.kind === "failed"
        ? html`<p class="problem">The comparison failed ${instant(state.at, now)}: ${reason(state.error)}</p>`
        : html`<p class="quiet">Compared ${instant(state.at, now)}.</p>`;
  return html`${text} ${frame.visitor?.role === "act" ? button : undefined}`;
}

function section(name: string, hold: Held, state: AdoptionState, frame: Frame): Html {
  const report = state.kind === "done" ? state.reports.find(({ stream }) => stream === name) : undefined;
  return html`<section aria-label="${name}">
    <h2>${name}</h2>
    <p>${sentence(hold.reason)}.</p>
    ${report === undefined ? undefined : reported(report, frame)}
  </section>`;
}

function reported(report: AdoptionReport, frame: Frame): Html {
  const { stream, counts, onlyInService, examples } = report;
  const figures = [
    ...adoptionVerdicts.map((verdict) => [verdict, counts[verdict]] as const),
    ["only in the service", onlyInService] as const,
  ];
  return html`<ul class="tiles">
      ${figures.filter(([, count]) => count > 0).map(([verdict, count]) => html`<li><strong>${grouped(count)}</strong> ${verdict}<br /><span class="quiet">${verdictMeanings[verdict]}</span></li>`)}
    </ul>
    ${blindTexts(report).map((text) => html`<p class="problem">${sentence(text)}</p>`)}
    ${frame.visitor?.role === "act" ? decision(report, frame) : html`<p>A login with the role <em>act</em> may decide, or <code class="command">svcsync adopt ${stream} --confirm</code>.</p>`}
    ${examples.length === 0 ? undefined : examplesTable(examples)}
    <p class="quiet">
      The whole list, to fill in for ambiguous records:
      <code class="command">svcsync adopt ${stream} --csv list.csv</code>
    </p>`;
}

function decision({ stream, create, blindFields, counts }: AdoptionReport, frame: Frame): Html {
  const action = addressOf(adoptAct, stream);
  const form = (decision: string, label: string) =>
    openForm(
      { action, act: adoptAct, label, fields: html`<input type="hidden" name="decision" value="${decision}" />` },
      frame,
    );
  const isNever = create === "never";
  const others = isNever ? "create none" : `create ${grouped(counts.new)}`;
  const adopt = `Bind ${grouped(counts.matched)}, ${others}`;
  return html`<div class="decision">
    ${
      blindFields.length > 0 && !isNever
        ? undefined
        : html`<h3>Is this right?</h3>
            ${form("adopt", adopt)}
            <p>
              If not, correct <code>match</code> in the sync file and restart svcsync, then compare again. Nothing is
              written until then.
            </p>`
    }
    ${
      isNever
        ? undefined
        : html`<details>
            <summary>None of them comes from the ERP</summary>
            <p>
              Every record is created, without looking for matches. Where the service has one already, this makes a
              duplicate.
            </p>
            ${form("create-all", "Create all records")}
          </details>`
    }
  </div>`;
}

function examplesTable(examples: readonly PlannedRecord[]): Html {
  const rows = examples.map(
    ({ id, name, match, verdict, counterparts, overwrites, error }) =>
      html`<tr>
        <th scope="row">${linkTo(id)}</th>
        <td>${verdict}</td>
        ${cell("ERP", name === "" ? undefined : html`${name} <span class="quiet">${match}</span>`)}
        ${cell("Service", [
          ...counterparts.map(
            (each) => html`${each.serviceId} ${each.name} <span class="quiet">${each.match}</span><br />`,
          ),
          ...(error === undefined ? [] : [reason(error)]),
        ])}
        ${cell(
          "First write changes",
          overwrites.map(
            ({ field, from, to }) =>
              html`<strong>${field}</strong>: <span class="value">${shown(from)} → ${shown(to)}</span><br />`,
          ),
        )}
      </tr>`,
  );
  return scrollingTable(["Record", "What", "ERP", "Service", "First write changes"], rows, "For example");
}
