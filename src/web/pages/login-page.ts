import { html, type Html } from "#server";
import { page } from "./frame/layout.ts";

interface LoginPage {
  /** Where the visitor goes after the login. */
  readonly next: string;
  readonly problem: string | undefined;
  /** Whether a name is asked for besides the password. */
  readonly hasUsers: boolean;
  readonly version: string;
}

export function loginPage({ next, problem, hasUsers, version }: LoginPage): Html {
  const user = html`<label for="user">Name</label>
    <input id="user" name="user" autocomplete="username" autocapitalize="none" autofocus />`;
  return page({
    title: "svcsync: log in",
    frame: { version },
    main: html`<form class="login" method="post" action="/login">
      <h1>Log in</h1>
      ${problem === undefined ? undefined : html`<p class="problem" role="alert">${problem}</p>`}
      ${hasUsers ? user : undefined}
      <label for="password">${hasUsers ? "Password" : "Token (PAGE_TOKEN)"}</label>
      <input id="password" name="password" type="password" autocomplete="current-password" required />
      <input type="hidden" name="next" value="${next}" />
      <button>Log in</button>
    </form>`,
  });
}
