/** What a `fields` text says, in the names of the wire. */
export interface FieldsGrammar {
  readonly all: boolean;
  /** Neither `*` nor a name is given: the defaults count, less what is excluded. */
  readonly onlyExcludes: boolean;
  readonly names: ReadonlySet<string>;
  readonly without: ReadonlySet<string>;
  /** Linked object to what is asked of it. */
  readonly expanded: ReadonlyMap<string, readonly string[]>;
}

/** Reads `a,b`, `link.prop`, `*` and `-prop`. Empty means the defaults. */
export function parseFields(fields: string | null): FieldsGrammar {
  const names = new Set<string>();
  const without = new Set<string>();
  const expanded = new Map<string, string[]>();
  let all = false;
  for (const part of (fields ?? "").split(",").map((part) => part.trim())) {
    if (part === "") continue;
    const dot = part.indexOf(".");
    if (part === "*") all = true;
    else if (part.startsWith("-")) without.add(part.slice(1));
    else if (dot > 0) {
      const link = part.slice(0, dot);
      expanded.set(link, [...(expanded.get(link) ?? []), part.slice(dot + 1)]);
    } else names.add(part);
  }
  return { all, onlyExcludes: !all && names.size === 0 && expanded.size === 0, names, without, expanded };
}
