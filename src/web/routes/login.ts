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
    const { next, ...typed } = await c.req.parseBody();
    const [user, password] = [textOf(typed["user"]).trim(), textOf(typed["password"])];
    const attempt = { user, address: gate.addressOf(c) };
    // Programs may send the token any number of times. A limit for the form would only lock out those who know it.
    const byToken = user === "" ? credentials.proveToken(password) : undefined;
    const wait = byToken === undefined ? guesses.wait(attempt) : undefined;
    if (wait !== undefined) return tooMany(c, wait);
    const proven = byToken ?? (await guesses.checked(attempt, () => credentials.prove(user, password)));
    if (proven === undefined)
      return show(c, ownPath(next), "This login is not known. Check the name and the password.");
    c.header("set-cookie", cookie(c, sessions.begin(proven), sessionMs / 1000));
    return c.redirect(ownPath(next), 303);
  });
  app.post("/logout", async (c) => {
    if (!gate.isOwnPage(c)) return c.text("only a page of svcsync may ask for this\n", 403);
    const sent = gate.sessionCookie(c);
    if (sent !== undefined) await sessions.end(sent);
    c.header("set-cookie", cookie(c, "", 0));
    return c.redirect("/login", 303);
  });
}

/** A field of a form, which may also be a file or missing. */
function textOf(field: unknown): string {
  return typeof field === "string" ? field : "";
}
