import { counted, recordLabel, grouped, type Json } from "#model";
import { heldWords, planAct, plannedAct, plannedCounts, valueText, type StreamPlan } from "#operator";
import type { PlannedDelivery } from "#pipeline";
import { html, scrollingTable, type Html } from "#server";
import type { DatedPlan } from "../../contract.ts";
import { addressOf, openForm } from "../frame/act-form.ts";
import { cell, page, type Frame } from "../frame/layout.ts";
import { instant, linkTo } from "../frame/wording.ts";

interface PlanPage {
  readonly stream: string;
  /** Undefined while it is being counted. */
  readonly dated: DatedPlan | undefined;
  readonly frame: Frame;
  readonly now: number;
}

/** What the next run would write for a stream. If the change guard holds it, with the form that releases it. */
export function planPage({ stream, dated, frame, now }: PlanPage): Html {
  return page({
    title: `svcsync: plan of ${stream}`,
    frame,
    isLive: dated === undefined,
    main: html`<h1>Plan of ${stream}</h1>
      ${
        dated === undefined
          ? html`<p>
              Its mapping changed, and the updates that follow from it are being counted. Nothing is delivered
              meanwhile. No action is needed: this page shows the plan when the count is done.
            </p>`
          : planned(dated, frame, now)
      }`,
  });
}

function planned({ plan, at }: DatedPlan, frame: Frame, now: number): Html {
  const { fields, samples, causes, verdicts } = plan;
  const counts = plannedCounts(plan);
  return html`<p>
      ${summary(plan)} <span class="quiet">Computed ${instant(at, now)}; the service was not asked.</span>
    </p>
    ${plan.isHeld ? decision(plan, frame) : undefined}
    ${
      counts.length === 0
        ? undefined
        : html`<h2>Records</h2>
            <ul class="tiles">
              ${counts.map(({ count, words }) => html`<li><strong>${grouped(count)}</strong> ${words}</li>`)}
            </ul>`
    }
    ${
      fields.length === 0
        ? undefined
        : scrollingTable(
            ["Field", "Records"],
            fields.map(
              ({ field, count }) =>
                html`<tr>
                  <th scope="row">${field}</th>
                  <td class="number">${grouped(count)}</td>
                </tr>`,
            ),
            "Fields that updates write",
          )
    }
    ${
      samples.length === 0
        ? undefined
        : html`<h2>For example</h2>
            ${samplesTable(samples)}`
    }
    ${
      causes.length === 0
        ? undefined
        : html`<h2>Not delivered</h2>
            <ul>
              ${causes.map(
                ({ count, state, message, code, examples }) =>
                  html`<li>
                    ${counted(count, "record")} ${state}: ${message} <code>${code}</code>, such as
                    ${examples.slice(0, 1).map(linkTo)}
                  </li>`,
              )}
            </ul>`
    }
    ${verdicts.update + verdicts.create > samples.length ? html`<p class="quiet">The whole list: <code class="command">svcsync plan ${plan.stream} --csv plan.csv</code></p>` : undefined}`;
}

function summary(plan: StreamPlan): string {
  if (!plan.isHeld) return plan.isChange ? "This is written next." : "The next run changes nothing.";
  const { why, waits } = heldWords(plan);
  const others = plan.massHeld === undefined ? "" : "; the others of the stream are delivered";
  return `It is held: ${why}. ${waits} until a person decides${others}.`;
}

function decision({ stream, plan, updates, massHeld, mailHeld }: StreamPlan, frame: Frame): Html {
  const unmeant = mailHeld !== undefined ? ifMailIsUnwanted : massHeld === undefined ? ifMappingIsWrong : ifErpIsWrong;
  const form = html`<div class="decision">
    <h2>Is this change intended?</h2>
    ${openForm(
      {
        action: addressOf(planAct, stream),
        act: planAct,
        label:
          mailHeld === undefined
            ? `Write ${counted(massHeld ?? updates, "update")}`
            : `Write ${counted(mailHeld, "new record")} and let the service send mail`,
        fields: html`<input type="hidden" name="plan" value="${plan}" />`,
      },
      frame,
    )}
    ${unmeant}
  </div>`;
  return frame.visitor?.role === "act"
    ? form
    : html`<p>
          A login with the role <em>act</em> may confirm it, or
          <code class="command">svcsync plan --confirm ${plan}</code>.
        </p>
        ${unmeant}`;
}

const ifMailIsUnwanted = html`<p>
  If not, switch the mail off in the service (<code class="command">svcsync check</code> names where) and restart
  svcsync.
</p>`;

const ifErpIsWrong = html`<p>
  If not, correct the ERP: the hold ends when it shows the old values again, and nothing is written.
</p>`;

const ifMappingIsWrong = html`<p>
  If not, correct the sync file and restart svcsync: the hold then ends, and nothing is written.
</p>`;

function samplesTable(samples: readonly PlannedDelivery[]): Html {
  const rows = samples.flatMap((planned) => {
    const { id, fields, reason } = planned;
    return (fields.length === 0 ? [undefined] : fields).map(
      (field, at) =>
        html`<tr>
          <th scope="row">${at === 0 ? linkTo(id) : html`<span class="unseen">${recordLabel(id)}</span>`}</th>
          <td>${at === 0 ? plannedAct(planned) : undefined}</td>
          ${cell("Field", field?.field ?? reason)} ${cell("Now", value(field?.before))}
          ${cell("Then", value(field?.after))}
        </tr>`,
    );
  });
  return scrollingTable(["Record", "What", "Field", "Now", "Then"], rows, "The first records of each kind");
}

function value(json: Json | undefined): Html | undefined {
  return json === undefined ? undefined : html`<span class="value">${valueText(json)}</span>`;
}
