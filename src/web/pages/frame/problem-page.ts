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

interface ProblemPage {
  readonly status: number;
  readonly text: string;
  readonly version: string;
}

/** For a person whose request was not answered: what programs are told in one line. */
export function problemPage({ status, text, version }: ProblemPage): Html {
  return page({
    title: "svcsync: not shown",
    frame: { version },
    main: html`<h1>${titles[status] ?? "This cannot be answered"}</h1>
      ${status === 404 ? html`<p>The address may be mistyped, or its stream is no longer in the sync file.</p>` : html`<p>${text.replace(/^this cannot be shown now: /, "")}</p>`}
      ${status === 500 ? html`<p>Try again in a minute. If it lasts, look at svcsync's log.</p>` : undefined}
      ${status === 403 ? undefined : html`<p><a class="button" href="/">To the status</a></p>`}`,
  });
}
