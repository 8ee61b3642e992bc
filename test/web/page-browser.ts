import { chromium, type Browser, type Page } from "playwright-core";
import { findChromium } from "../setup/chromium.ts";
import type { PageState } from "./page-states.ts";

/** A browser that calls no one by itself. */
export async function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: await findChromium(),
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}

/** How people hold it: a desk and a telephone, by day and by night. */
export const looks = (["light", "dark"] as const).flatMap((colorScheme) =>
  [1280, 390].map((width) => ({ colorScheme, width })),
);

/** Opens the state in the page, by sending its form where it has one. */
export async function openState(page: Page, url: string, { path, send }: PageState): Promise<void> {
  await page.goto(url + path);
  if (send === undefined) return;
  const loaded = page.waitForEvent("load");
  // A form behind its name is sent as well, and without what the browser would ask for first.
  await page.evaluate(`(() => {
    const form = document.querySelector('form[action="${send.action}"]');
    for (const [name, value] of Object.entries(${JSON.stringify(send.fields)})) {
      const field = form.elements.namedItem(name);
      if (field.type === "checkbox") field.checked = true;
      else field.value = value;
    }
    form.submit();
  })()`);
  await loaded;
}
