import { html, typed, type Html, type Content } from "#server";
import type { Visitor } from "../../access/visitor.ts";
import { scriptElement } from "./script.ts";
import { styleElement } from "./style.ts";

/** What every page shows around its content. */
export interface Frame {
  readonly version: string;
  /** Absent before the login. */
  readonly visitor?: Visitor;
  /** The address of the login, for a visitor who reads without one. */
  readonly login?: string | undefined;
  /** The search text, which stays in the search field. */
  readonly searched?: string;
}

export interface Layout {
  readonly title: string;
  readonly frame: Frame;
  /** Whether a browser with JavaScript refreshes the page. */
  readonly isLive?: boolean;
  /** Shown beside the version, at the end of the page. */
  readonly notes?: Content;
  readonly main: Content;
}

/** A whole page. */
export function page({
  title,
  frame: { version, visitor, login, searched },
  isLive = false,
  notes,
  main,
}: Layout): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        <link rel="icon" href="data:," />
        ${styleElement}
      </head>
      <body>
        <a class="skip" href="#main">Skip to the content</a>
        <header>
          <a class="brand" href="/">svcsync</a>
          <nav aria-label="Pages">
            ${visitor === undefined ? undefined : html`<a href="/">Status</a> <a href="/records">Held-up records</a>`}
          </nav>
          ${visitor === undefined ? undefined : searchForm(searched)}
          ${visitor?.hasSession ? logout(visitor) : undefined}
          ${login === undefined ? undefined : html`<a href="${login}">Log in</a>`}
        </header>
        <main id="main">${main}</main>
        <footer>
          <span>version ${version}</span> ${notes}
          ${isLive ? html`<span data-live="">Not refreshed </span>` : undefined}
        </footer>
        ${scriptElement}
      </body>
    </html>`;
}

function searchForm(searched: string | undefined): Html {
  return html`<form class="search" role="search" action="/search">
    <label class="unseen" for="q">Key, service id or name</label>
    <input id="q" name="q" type="search" placeholder="Key, service id or name" value="${typed(searched)}" required />
    <button class="plain">Search</button>
  </form>`;
}

/** The CSRF token in each form, so that no page of another site can send one. */
export function csrfField(visitor: Visitor | undefined): Html {
  return html`<input type="hidden" name="csrf" value="${visitor?.csrf}" />`;
}

function logout(visitor: Visitor): Html {
  return html`<form class="logout" method="post" action="/logout">
    <span class="quiet">${visitor.name ?? "token"}${visitor.role === "read" ? " (may read)" : ""}</span>
    <button class="plain">Log out</button>
  </form>`;
}

/** A cell that shows its column's name where a phone displays cells below each other; empty cells are hidden. */
export function cell(head: string, content: Content): Html {
  const isEmpty = content === undefined || content === "" || (Array.isArray(content) && content.length === 0);
  return html`<td data-head="${head}">${isEmpty ? undefined : content}</td>`;
}
