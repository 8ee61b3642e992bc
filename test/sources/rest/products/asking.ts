import { readFileSync } from "node:fs";
import type { Json } from "#model";
import type { WebServer } from "../../../kit/http.ts";

/** One thing that a local server does as its product does it, and the document or source file that says so. */
export interface Behaviour {
  readonly what: string;
  readonly source: string;
  /** Shows it on the running server. */
  shows(): Promise<void>;
}

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body; fails the test if it is no JSON. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into it anywhere
  readonly json: any;
}

/** Asks a local server as any client would. */
export async function ask(
  server: WebServer,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answered> {
  const answer = await fetch(`${server.url}${path}`, { headers });
  const text = await answer.text();
  return {
    status: answer.status,
    headers: answer.headers,
    text,
    get json() {
      return JSON.parse(text);
    },
  };
}

/** A query as an address, encoded. */
export function queryOf(parameters: Readonly<Record<string, string | number | Json>>): string {
  const entries = Object.entries(parameters).map(([name, value]) => [
    name,
    typeof value === "object" ? JSON.stringify(value) : String(value),
  ]);
  return new URLSearchParams(Object.fromEntries(entries)).toString();
}

/** The behaviours that are listed twice, or whose source names neither an address nor a file. */
export function unsourced(behaviours: readonly Behaviour[]): string[] {
  const all = behaviours.map(({ what }) => what);
  const twice = all.filter((what, at) => all.indexOf(what) !== at);
  const vague = behaviours.filter(({ source }) => !/https?:\/\/|\.(py|json|ts)\b/.test(source));
  return [...twice, ...vague.map(({ what }) => what)];
}

/** An address, a file of a public repository, or a file of Frappe or ERPNext. */
const CITED =
  /https:\/\/[\w./-]+|github\.com\/[\w/-]+, [\w./-]+\.(?:json|ts|py)|\b(?:frappe|erpnext)\/[\w./-]+\.(?:py|json)/g;

/** The pages that do not say how many behaviours of a product are shown, and from how many documents and files. */
export function miscounted(guide: string, behaviours: readonly Behaviour[]): string[] {
  const sources = new Set(behaviours.flatMap(({ source }) => source.match(CITED) ?? [])).size;
  const pages: Readonly<Record<string, string>> = {
    [`erps/${guide}.md`]: `${behaviours.length} behaviours, each with its source (${sources} `,
    "erps.md": `${behaviours.length} behaviours from ${sources} `,
  };
  return Object.entries(pages)
    .filter(([page, wanted]) => !linesOf(page, guide).includes(wanted))
    .map(([page, wanted]) => `${page}: ${wanted}`);
}

/** The text of a guide, or the row of the table that links to it. */
function linesOf(page: string, guide: string): string {
  const text = readFileSync(new URL(`../../../../docs/${page}`, import.meta.url), "utf8");
  const rows = text.split("\n").filter((line) => page !== "erps.md" || line.includes(`(erps/${guide}.md)`));
  return rows.join(" ").replaceAll(/\s+/g, " ");
}
