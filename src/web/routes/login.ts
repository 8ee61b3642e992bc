import type { App, Context } from "#server";
import { loginPage } from "../pages/login-page.ts";
import { ownPath, tooMany, type Gate } from "../access/gate.ts";
import { sessionMs } from "../access/sessions.ts";

/** `/login` and `/logout`. */
export function addLogin(app: App, gate: Gate, version: string): void {
  const { credentials, sessions, guesses } = gate;
  const show = (c: Context, next: string, problem?: string) =>
    c.html(loginPage({ next, problem, hasUsers: credentials.hasUsers, version }), problem === undefined ? 200 : 401);
  /** `Secure` where the browser came over https, which its own word shows behind a proxy too. */
  const cookie = (c: Context, value: string, seconds: number) => {
    const secure = c.req.header("origin")?.startsWith("https:") ? "; Secure" : "";
    return `${sessions.cookieName}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`;
  };

  app.get("/login", (c) => (gate.takesLogins ? show(c, ownPath(c.req.query("next"))) : c.redirect("/", 303)));
  app.post("/login", async (c) => {
    if (!gate.isOwnPage(c)) return c.text("only a page of svcsync may ask for this\n", 403);
    const { user, password, next } = await c.req.parseBody();
    const address = gate.addressOf(c);
    const waitMs = guesses.waitMs(address);
    if (waitMs > 0) return tooMany(c, waitMs);
    // Before the check, so that concurrent guesses count too.
    guesses.tried(address);
    const proven = await credentials.prove(textOf(user).trim(), textOf(password));
    if (proven === undefined)
      return show(c, ownPath(next), "This login is not known. Check the name and the password.");
    guesses.succeeded(address);
    c.header("set-cookie", cookie(c, sessions.begin(proven), sessionMs / 1000));
    return c.redirect(ownPath(next), 303);
  });
  app.post("/logout", (c) => {
    if (!gate.isOwnPage(c)) return c.text("only a page of svcsync may ask for this\n", 403);
    c.header("set-cookie", cookie(c, "", 0));
    return c.redirect("/login", 303);
  });
}

/** A field of a form, which may also be a file or missing. */
function textOf(field: unknown): string {
  return typeof field === "string" ? field : "";
}
