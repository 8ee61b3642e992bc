import { html, type Html } from "#server";
import { page } from "./layout.ts";

const titles: Readonly<Record<number, string>> = {
  401: "A login is needed",
  403: "This is not allowed",
  404: "This page does not exist",
  421: "This is not the name of svcsync's page",
  429: "Too many failed logins",
  500: "This cannot be shown now",
};

/** Titles for form submissions: a request that failed may still have been carried out. */
const formTitles: typeof titles = { 403: "This was not done", 500: "This failed, and may not have been done" };

interface ProblemPage {
  readonly status: number;
  readonly text: string;
  readonly version: string;
  /** The page whose form failed. */
  readonly from: string | undefined;
}

/** The page for a person whose request failed; programs get one line instead. */
export function problemPage({ status, text, version, from }: ProblemPage): Html {
  const title = (from === undefined ? undefined : formTitles[status]) ?? titles[status];
  return page({
    title: "svcsync: not shown",
    frame: { version },
    main: html`<h1>${title ?? "This cannot be answered"}</h1>
      ${status === 404 ? html`<p>The address may be mistyped, or its stream is no longer in the sync file.</p>` : html`<p>${text.replace(/^this cannot be shown now: /, "")}</p>`}
      ${status === 500 ? html`<p>${from === undefined ? "Try again in a minute." : "Check whether it was done, then try again."} If it lasts, look at svcsync's log.</p>` : undefined}
      ${from === undefined ? onward(status) : back(status, from)}`,
  });
}

/** Links for a visitor who has no page to return to. */
function onward(status: number): Html | undefined {
  return status === 403 ? undefined : html`<p><a class="button" href="/">Go to the status page</a></p>`;
}

function back(status: number, from: string): Html {
  return status === 401
    ? html`<p><a class="button" href="/login?next=${encodeURIComponent(from)}">Log in</a></p>`
    : html`<p><a class="button" href="${from}">Open the page again</a></p>`;
}
