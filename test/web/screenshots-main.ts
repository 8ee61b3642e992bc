import { mkdirSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launchBrowser, looks, openState } from "./page-browser.ts";
import { pageStates } from "./page-states.ts";
import { sampleWeb } from "./web-server.ts";

// Pictures of the page in all states, wide and narrow, light and dark: `npm run screenshots -- [folder] [state …]`.
const [folder = await mkdtemp(join(tmpdir(), "svcsync-pages-")), ...wanted] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const browser = await launchBrowser();
for (const state of pageStates.filter(({ name }) => wanted.length === 0 || wanted.includes(name)))
  for (const { colorScheme, width } of looks) {
    await using web = await sampleWeb(state.parts, state.address);
    const page = await browser.newPage({ colorScheme, viewport: { width, height: 844 } });
    await openState(page, web.url.replace("0.0.0.0", "127.0.0.1"), state);
    await page.screenshot({ path: join(folder, `${state.name}-${width}-${colorScheme}.png`), fullPage: true });
    await page.close();
  }
await browser.close();
process.stdout.write(`${folder}\n`);
