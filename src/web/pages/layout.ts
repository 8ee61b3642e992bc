import { html, type Html, type Content } from "#server";
import type { Visitor } from "../access/visitor.ts";
import { styleElement } from "./style.ts";

/** What every page shows around its own part. */
export interface Frame {
  readonly version: string;
  /** Absent before the login. */
  readonly visitor?: Visitor;
}

export interface Layout {
  readonly title: string;
  readonly frame: Frame;
  /** Seconds between automatic reloads of the page; undefined: no reload. */
  readonly refreshSeconds?: number | undefined;
  /** Beside the name of the program, in the head of the page. */
  readonly notes?: Content;
  readonly main: Content;
}

/** A whole page. */
export function page({ title, frame: { version, visitor }, refreshSeconds, notes, main }: Layout): Html {
  const refresh =
    refreshSeconds === undefined ? undefined : html`<meta http-equiv="refresh" content="${refreshSeconds}" />`;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        ${refresh}
        <title>${title}</title>
        <link rel="icon" href="data:," />
        ${styleElement}
      </head>
      <body>
        <header>
          <strong><a href="/">svcsync</a></strong>
          <span>version ${version}</span>
          ${notes} ${visitor?.hasSession ? logout(visitor) : undefined}
        </header>
        <main>${main}</main>
      </body>
    </html>`;
}

/** The mark that each form carries, so that no page of another site can send one. */
export function csrfField(visitor: Visitor | undefined): Html {
  return html`<input type="hidden" name="csrf" value="${visitor?.csrf}" />`;
}

function logout(visitor: Visitor): Html {
  return html`<form class="logout" method="post" action="/logout">
    <span>${visitor.name ?? "token"}${visitor.role === "read" ? ", may read" : ""}</span> ${csrfField(visitor)}
    <button>Log out</button>
  </form>`;
}

/** A table that scrolls separately where the window is narrow; the keyboard reaches it. */
export function table(caption: string, heads: readonly string[], rows: readonly Html[]): Html {
  return html`<div
    class="${heads.length > 2 ? "scroll wide" : "scroll"}"
    tabindex="0"
    role="region"
    aria-label="${caption}"
  >
    <table>
      <caption>
        ${caption}
      </caption>
      <thead>
        <tr>
          ${heads.map((head) => html`<th scope="col">${head}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`;
}
