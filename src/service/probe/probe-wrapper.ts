import { isJsonObject, type Finding, type Json, type ResourceName } from "#model";
import type { Dialect } from "#settings";
import { found, withPair } from "./probe-finding.ts";

/** The beginning of one resource's list. */
export interface Sample {
  readonly resource: ResourceName;
  readonly body: Json | undefined;
  readonly rowCount: number;
  /** How many records it has in all, as far as that shows. */
  readonly total: number;
  /** The id of its first record. */
  readonly id: number | undefined;
}

/** Where the rows are, on several resources: what most of them do is the wrapper, the others have keys of their own. */
export function probeWrapper(samples: readonly Sample[], dialect: Dialect): Finding[] {
  const seen = samples.flatMap(({ resource, body }) => {
    const wrapper = wrapperSeen(body, dialect, resource);
    return wrapper === undefined ? [] : [{ resource, wrapper }];
  });
  const common = mostCommon(seen.map(({ wrapper }) => wrapper));
  const { listWrapper, listKeys } = dialect;
  const configured = typeof listWrapper === "string" ? listWrapper : `key:${listWrapper.key}`;
  const findings = [found("list wrapper", configured, common, "DIALECT_LIST_WRAPPER", "no list with rows")];
  for (const { resource, wrapper } of seen) {
    const key = wrapper.startsWith("key:") ? wrapper.slice("key:".length) : undefined;
    if (wrapper === common || key === undefined) continue;
    const subject = `list wrapper of ${resource}`;
    const remedy = withPair("DIALECT_LIST_KEYS", listKeys, resource, key);
    findings.push({ subject, verdict: "problem", message: `found ${wrapper}, unlike the others`, remedy });
  }
  return findings;
}

function wrapperSeen(body: Json | undefined, { listKeys }: Dialect, resource: ResourceName): string | undefined {
  if (Array.isArray(body)) return "array";
  if (!isJsonObject(body)) return undefined;
  const keys = Object.keys(body).filter((key) => Array.isArray(body[key]));
  if (keys.includes(listKeys[resource] ?? resource)) return "resource";
  return keys.length === 1 ? `key:${keys[0]}` : undefined;
}

function mostCommon(words: readonly string[]): string | undefined {
  const count = (word: string) => words.filter((other) => other === word).length;
  return words.toSorted((one, other) => count(other) - count(one))[0];
}
