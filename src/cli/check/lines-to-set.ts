import type { Finding } from "#model";

/** Settings that hold several pairs: two findings may each add one. */
const pairKeys: ReadonlySet<string> = new Set(["DIALECT_PATHS", "DIALECT_LIST_KEYS"]);

/** The lines of the env file that the findings ask for, each key once, as a block that can be copied. */
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
