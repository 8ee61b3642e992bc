import type { ResourceName } from "#model";
import type { MatchEntry } from "../facts.ts";
import { addMatchKey, forgetMatchKeys, forgetMatchKeysOf, saveMatch } from "../statements/matches.ts";
import type { Step } from "./step.ts";

/**
 * Adds records of the service to the index, or replaces their keys; with `rules`, only the keys of these. If one occurs twice, the last entry
 * counts.
 */
export function saveMatchEntries(
  resource: ResourceName,
  entries: readonly MatchEntry[],
  rules?: readonly string[],
): Step<object, void> {
  const latest = [...new Map(entries.map((entry) => [entry.serviceId, entry])).values()];
  const writes = [
    ...latest.map(({ serviceId }) => saveMatch({ resource, serviceId })),
    ...latest.map(({ serviceId }) =>
      rules === undefined
        ? forgetMatchKeys({ resource, serviceId })
        : forgetMatchKeysOf({ resource, serviceId, rules }),
    ),
    ...latest.flatMap(({ serviceId, keys }) =>
      Object.entries(keys).map(([rule, key]) => addMatchKey({ resource, serviceId, rule, key })),
    ),
  ];
  return {
    // It belongs to the resource.
    record: { stream: "", key: resource },
    facts: {},
    decide: () => ({ writes, value: undefined, touches: latest.map(({ serviceId }) => `${resource} ${serviceId}`) }),
  };
}
