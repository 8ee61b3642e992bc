import { createHash } from "node:crypto";
import { rawHtml } from "#server";

/**
 * The only script; without it, a page stays as it was loaded.
 *
 * Double clicks: a form is sent only once, because the answer to the second request would claim that nothing was done.
 *
 * Live refresh: fetches the page again and replaces its main part. While a person works in it (a focus, an open section,
 * selected text), it replaces only the headline, and the footer says so. If no page arrives, it says that too: "All is
 * well" must not stay on a screen when it is no longer true.
 */
const script = `(() => {
  const sentAt = new WeakMap();
  addEventListener("submit", (event) => {
    if (event.target.method !== "post") return;
    const now = performance.now();
    if (now - (sentAt.get(event.target) ?? -Infinity) < 2000) event.preventDefault();
    else sentAt.set(event.target, now);
  });
  const place = document.querySelector("[data-live]");
  if (place === null) return;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "plain";
  let on = true;
  let busy = false;
  let at = new Date();
  const show = () => {
    button.textContent = on ? "Stop refreshing" : "Refresh again";
    place.firstChild.textContent = !on ? "Not refreshed " : busy ? "Only the headline is live while you work on the page " : "Live, every 10 s ";
  };
  button.addEventListener("click", () => { on = !on; show(); });
  place.append("", button);
  show();
  const isBusy = () => {
    if (document.querySelector("main details[open], main :focus") !== null) return true;
    const selected = getSelection();
    return !selected.isCollapsed && document.querySelector("main").contains(selected.anchorNode);
  };
  // Announced by screen readers only when the headline changes, not every time.
  const freshHeadline = (fresh) => {
    const [shown, now] = [document, fresh].map((each) => each.querySelector("main .verdict[role=status]"));
    if (shown === null || now === null || shown.querySelector("h1").textContent === now.querySelector("h1").textContent) return;
    shown.className = now.className;
    shown.replaceChildren(...now.childNodes);
  };
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
  const refresh = async () => {
    if (!on || document.hidden) return;
    const fresh = await load().catch(() => undefined);
    const main = fresh?.querySelector("main") ?? null;
    if (main === null) return lost();
    document.title = fresh.title;
    document.getElementById("lost")?.remove();
    if (!on) return;
    busy = isBusy();
    show();
    if (busy) return freshHeadline(fresh);
    at = new Date();
    const old = document.querySelector("main");
    if (main.innerHTML === old.innerHTML) return;
    const scrolled = [...old.querySelectorAll(".scroll")].map((each) => each.scrollLeft);
    old.replaceWith(main);
    main.querySelectorAll(".scroll").forEach((each, nth) => { each.scrollLeft = scrolled[nth] ?? 0; });
  };
  setInterval(refresh, 10000);
  // A page that was hidden is out of date, so it is refreshed as soon as it is visible again.
  document.addEventListener("visibilitychange", refresh);
})();`;

export const scriptElement = rawHtml(`<script>${script}</script>`);

export const scriptHash = createHash("sha256").update(script).digest("base64");
