import { createHash } from "node:crypto";
import { rawHtml } from "#server";

/**
 * Live refresh: fetches the page again and puts its main part in place, unless a person is at work in it. Where no page comes, it
 * says so: "All is well" must not stay on a screen after svcsync has ended. The only script; without it the page is what it was
 * when it was loaded.
 */
const script = `(() => {
  const place = document.querySelector("[data-live]");
  if (place === null) return;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "plain";
  let on = true;
  let at = new Date();
  const show = () => { button.textContent = on ? "Stop refreshing" : "Refresh again"; place.firstChild.textContent = on ? "Live, every 10 s " : "Not refreshed "; };
  button.addEventListener("click", () => { on = !on; show(); });
  place.append("", button);
  show();
  const isBusy = () => document.querySelector("main details[open], main :focus") !== null;
  const lost = () => {
    if (!on || document.getElementById("lost") !== null) return;
    const note = document.createElement("div");
    note.id = "lost";
    note.className = "verdict bad";
    note.setAttribute("role", "alert");
    note.textContent = "Not refreshed since " + at.toLocaleTimeString() + ": svcsync does not answer, or you are logged out. What you see may be out of date.";
    document.querySelector("main").prepend(note);
    document.title = "svcsync: does not answer";
  };
  const load = async () => {
    const answer = await fetch(location.href, { signal: AbortSignal.timeout(9000) });
    if (!answer.ok || answer.redirected) return undefined;
    return new DOMParser().parseFromString(await answer.text(), "text/html");
  };
  setInterval(async () => {
    if (!on || document.hidden) return;
    const fresh = await load().catch(() => undefined);
    const main = fresh?.querySelector("main") ?? null;
    if (main === null) return lost();
    document.title = fresh.title;
    if (!on || isBusy()) return document.getElementById("lost")?.remove();
    at = new Date();
    if (main.innerHTML !== document.querySelector("main").innerHTML) document.querySelector("main").replaceWith(main);
  }, 10000);
})();`;

export const scriptElement = rawHtml(`<script>${script}</script>`);

export const scriptHash = createHash("sha256").update(script).digest("base64");
