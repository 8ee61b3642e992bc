import { createHash } from "node:crypto";
import { rawHtml } from "#server";

/**
 * Live refresh: fetches the page again and puts its main part in place, unless a person is at work in it. The only script;
 * without it the page is what it was when it was loaded.
 */
const script = `(() => {
  const place = document.querySelector("[data-live]");
  if (place === null) return;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "plain";
  let on = true;
  const show = () => { button.textContent = on ? "Stop refreshing" : "Refresh again"; place.firstChild.textContent = on ? "Live, every 10 s " : "Not refreshed "; };
  button.addEventListener("click", () => { on = !on; show(); });
  place.append("", button);
  show();
  const isBusy = () => document.hidden || document.querySelector("main details[open], main :focus") !== null;
  setInterval(async () => {
    if (!on || isBusy()) return;
    const answer = await fetch(location.href).catch(() => undefined);
    if (answer === undefined || !answer.ok || answer.redirected) return;
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    const main = fresh.querySelector("main");
    if (main === null || !on || isBusy()) return;
    document.title = fresh.title;
    if (main.innerHTML !== document.querySelector("main").innerHTML) document.querySelector("main").replaceWith(main);
  }, 10000);
})();`;

export const scriptElement = rawHtml(`<script>${script}</script>`);

export const scriptHash = createHash("sha256").update(script).digest("base64");
