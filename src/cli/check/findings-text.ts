import type { SyncFile } from "#mapping";
import type { Finding } from "#model";
import { environmentWarnings } from "#settings";
import type { GlobalOptions } from "../command-context.ts";

/** Findings for a readable sync file: its streams, and what should be changed. */
export function syncFileFindings(file: string, { streams, warnings }: SyncFile): Finding[] {
  return [
    { subject: "sync file", verdict: "ok", message: `${file} maps ${streams.map(({ name }) => name).join(", ")}` },
    ...warnings.map(({ line, column, path, message }): Finding => {
      const place = `${file}:${line}:${column} ${path}`;
      return { subject: "sync file", verdict: "warning", message: `${place}: ${message}` };
    }),
  ];
}

/** Variables that svcsync ignores although they look as if they were meant for it, and values with quotes of their own. */
export function environmentFindings(options: GlobalOptions, { variables }: SyncFile): Finding[] {
  return environmentWarnings(options, new Set(variables)).map(({ key, found, wanted }) => ({
    subject: `setting ${key}`,
    verdict: "warning",
    message: `found ${found}, expected ${wanted}`,
    remedy:
      "Correct it in the env file or where the process gets its environment, or ignore this if another program needs it.",
  }));
}

const marks = { ok: "ok     ", warning: "warning", problem: "PROBLEM" } as const;

/** The findings as text, then what was not checked. The settings to copy come last, where a person looks for them. */
export function findingsText(findings: readonly Finding[], notChecked: readonly string[] = []): string {
  const lines = findings.flatMap(({ subject, verdict, message, remedy }) => [
    `${marks[verdict]}  ${subject}: ${message}`,
    ...(remedy === undefined || verdict === "ok" ? [] : [`         -> ${remedy}`]),
  ]);
  lines.push(...notChecked.map((each) => `Not checked: ${each}`));
  const settings = linesToSet(findings);
  if (settings.length > 0)
    lines.push("", "To set in the environment, then check again:", ...settings.map((line) => `  ${line}`));
  return `${lines.join("\n")}\n`;
}

/** Settings that hold several pairs: two findings may each add one. */
const pairKeys: ReadonlySet<string> = new Set(["DIALECT_PATHS", "DIALECT_LIST_KEYS"]);

/** The env-file lines that the findings ask for, each key once, as a block to copy. */
export function linesToSet(findings: readonly Finding[]): string[] {
  const values = new Map<string, string>();
  for (const { remedy = "" } of findings) {
    const [, key, value] = /(?:^|: )(DIALECT_[A-Z_]+)=(.+)$/.exec(remedy) ?? [];
    if (key === undefined || value === undefined) continue;
    const before = pairKeys.has(key) ? values.get(key) : undefined;
    const pairs = before === undefined ? [value] : [...new Set([...before.split(","), ...value.split(",")])];
    values.set(key, pairs.join());
  }
  return [...values].map(([key, value]) => `${key}=${value}`);
}
