import { recordLabel, type RecordId } from "#model";
import type { ProposedBinding, Shown } from "#pipeline";
import { html, scrollingTable, typed, type Html } from "#server";
import { csrfField, page, type Frame } from "../frame/layout.ts";
import { shown } from "../frame/values.ts";
import { linkTo, pathOf, sentence } from "../frame/wording.ts";

interface RefusedPage {
  readonly message: string;
  /** The page that shows the current state of what the person wanted to act on. */
  readonly again: string | undefined;
  readonly frame: Frame;
}

/** Says why an act cannot be done now. */
export function refusedPage({ message, again, frame }: RefusedPage): Html {
  return page({
    title: "svcsync: not done",
    frame,
    main: html`<h1>This was not done</h1>
      <p>${sentence(message)}.</p>
      <p>
        ${again === undefined ? undefined : html`<a class="button" href="${again}">Look at it as it is now</a>`}
        <a href="/">Status</a>
      </p>`,
  });
}

interface BindingPage {
  readonly id: RecordId;
  readonly serviceId: number;
  readonly proposed: ProposedBinding;
  readonly why: string | undefined;
  readonly frame: Frame;
}

/** Shows both sides of a binding before it is made. */
export function bindingPage({ id, serviceId, proposed, why, frame }: BindingPage): Html {
  const { ours, theirs, overwrites } = proposed;
  return page({
    title: `svcsync: bind ${recordLabel(id)}`,
    frame,
    main: html`<h1>Are these the same?</h1>
      <dl>
        <dt>ERP</dt>
        <dd>${linkTo(id)} ${side(ours)}</dd>
        <dt>Service</dt>
        <dd>${serviceId} ${theirs === undefined ? undefined : side(theirs)}</dd>
      </dl>
      ${
        overwrites.length === 0
          ? html`<p>The first write changes nothing in the service.</p>`
          : scrollingTable(
              ["Field", "From", "To"],
              overwrites.map(
                ({ field, from, to }) =>
                  html`<tr>
                    <th scope="row">${field}</th>
                    <td data-head="From">${shown(from)}</td>
                    <td data-head="To">${shown(to)}</td>
                  </tr>`,
              ),
              "What the first write changes in the service",
            )
      }
      <form class="acts" method="post" action="${pathOf(id, "bind")}">
        ${csrfField(frame.visitor)}
        <input type="hidden" name="serviceId" value="${serviceId}" />
        <input type="hidden" name="why" value="${typed(why)}" />
        <input type="hidden" name="confirm" value="yes" />
        <button>Yes, bind them</button>
        <a href="${pathOf(id)}">No, leave it</a>
      </form>`,
  });
}

function side({ name, match }: Shown): Html {
  return html`<strong>${name}</strong> <span class="quiet">${match}</span>`;
}
