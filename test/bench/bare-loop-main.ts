import { readFileSync } from "node:fs";
import { Agent } from "node:http";
import got from "got";

/** What the loop is told: where to post, the file with one body a line, and how many requests run at once. */
const [url = "", file = "", concurrency = "", token = ""] = process.argv.slice(2);

const bodies = readFileSync(file, "utf8")
  .trimEnd()
  .split("\n")
  .map((line): unknown => JSON.parse(line));
const agent = { http: new Agent({ keepAlive: true, maxSockets: Number(concurrency) }) };
const headers = { authorization: `Bearer ${token}` };
const left = bodies[Symbol.iterator]();

async function post(): Promise<void> {
  for (const json of left) await got.post(url, { json, headers, agent }).json();
}

await Promise.all(Array.from({ length: Number(concurrency) }, post));
process.send?.({ posted: bodies.length });
process.disconnect();
