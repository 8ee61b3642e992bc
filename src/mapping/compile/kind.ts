const kinds: Readonly<Record<string, string>> = {
  number: "a number",
  boolean: "true or false",
  function: "a function",
};

/** What a value is, in words that tell nothing of it. */
export function kindOf(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
  if (typeof value === "string") return value.trim() === "" ? "empty text" : "text";
  return kinds[typeof value] ?? "an object";
}
