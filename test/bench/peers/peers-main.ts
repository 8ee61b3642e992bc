import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { buildProgram } from "../../setup/built-program.ts";
import { Stage } from "../stage.ts";
import { measure, type Figures } from "./comparison.ts";
import { n8n } from "./n8n.ts";
import { nodeRed } from "./node-red.ts";
import type { Peer } from "./peer.ts";
import { peersText } from "./peers-report.ts";
import { svcsync } from "./svcsync.ts";

/** `npm run bench:peers`: the same customers into the sandbox by svcsync, Node-RED and n8n. See docs/peers.md. */
const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    customers: { type: "string", default: "5000" },
    /** Latencies of the service in milliseconds. */
    latency: { type: "string", multiple: true, default: ["0", "50"] },
    /** Only these systems: svcsync, node-red, n8n. */
    only: { type: "string", multiple: true },
    /** Where Node-RED and n8n are installed and stay. Default: a temporary folder that is removed. */
    folder: { type: "string" },
  },
});
const tell = (what: string) => process.stderr.write(`${what} …\n`);

await buildProgram();
await using stage = await Stage.set(Number(values.customers));
const folder = values.folder === undefined ? await mkdtemp(join(tmpdir(), "svcsync-peers-")) : resolve(values.folder);
const systems: Record<string, () => Promise<Peer>> = {
  svcsync: async () => svcsync(stage),
  "node-red": () => nodeRed(join(folder, "node-red"), stage.erp.path),
  n8n: () => n8n(join(folder, "n8n"), stage.erp.path),
};
try {
  const peers: Peer[] = [];
  for (const [name, open] of Object.entries(systems)) {
    if (values.only !== undefined && !values.only.includes(name)) continue;
    tell(`Preparing ${name}`);
    peers.push(await open());
  }
  const figures: Figures[] = [];
  for (const latencyMs of values.latency.map(Number))
    for (const peer of peers) {
      tell(`${peer.name}, ${latencyMs} ms of latency`);
      figures.push(await measure(peer, stage.erp, latencyMs));
    }
  process.stdout.write(values.json ? `${JSON.stringify(figures, undefined, 2)}\n` : peersText(figures));
} finally {
  if (values.folder === undefined) await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}
