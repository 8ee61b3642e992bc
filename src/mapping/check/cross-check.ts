import type { z } from "zod";
import { didYouMean } from "../did-you-mean.ts";
import type { FilePath, Problem } from "./problem.ts";
import { orderStreams, type StreamReference } from "./stream-order.ts";
import type { CheckedStream } from "./stream-words.ts";
import type { FieldWords } from "../words.ts";

export interface CrossCheckFacts {
  /** The schema of the adapter's `read` by source name; undefined where the source itself is wrong. */
  readonly sources: ReadonlyMap<string, z.ZodType | undefined>;
  readonly streams: readonly string[];
  readonly resources: ReadonlySet<string>;
  readonly embeds: (resource: string) => readonly string[];
}

/** Finds what is well-formed but cannot be right: unknown names, and fields that contradict each other. */
export function crossCheck(streams: readonly CheckedStream[], known: CrossCheckFacts): Problem[] {
  return [
    ...streams.flatMap((stream) => [
      ...checkNames(stream, known),
      ...checkEmbedded(stream, known),
      ...checkMatch(stream),
      ...checkCreate(stream),
      ...checkDeletedSet(stream),
    ]),
    ...checkCircles(streams, known),
  ];
}

export function referencesOf(streams: readonly CheckedStream[]): StreamReference[] {
  return streams.flatMap(({ name, fields }) =>
    [...fields].flatMap(([field, words]) =>
      typeof words === "object" && "ref" in words ? [{ stream: name, field, target: words.ref }] : [],
    ),
  );
}

export function unknownName(path: FilePath, kind: string, name: string, known: Iterable<string>): Problem {
  const names = [...known];
  const hint =
    didYouMean(name, names) || (names.length === 0 || names.length > 12 ? "" : `, expected one of ${names.join(", ")}`);
  return { path, message: `found the unknown ${kind} "${name}"${hint}` };
}

function checkNames(
  { path, parts, fields }: CheckedStream,
  { sources, streams, resources }: CrossCheckFacts,
): Problem[] {
  const problems: Problem[] = [];
  const resource = (path: FilePath, name: string) => {
    if (!resources.has(name)) problems.push(unknownName(path, "resource", name, resources));
  };
  if (parts.source !== undefined && !sources.has(parts.source))
    problems.push(unknownName([...path, "source"], "source", parts.source, sources.keys()));
  if (parts.resource !== undefined) resource([...path, "resource"], parts.resource);
  for (const [field, words] of Object.entries(parts.deleted?.set ?? {}))
    if (words !== null && typeof words === "object" && "lookup" in words)
      resource([...path, "deleted", "set", field, "lookup"], words.lookup);
  for (const [field, words] of fields) {
    if (typeof words !== "object") continue;
    const at = [...path, "fields", field];
    if ("lookup" in words) resource([...at, "lookup"], words.lookup);
    if ("tags" in words) resource([...at, "resource"], words.resource);
    if ("ref" in words && !streams.includes(words.ref))
      problems.push(unknownName([...at, "ref"], "stream", words.ref, streams));
  }
  return problems;
}

/** Whole records have no key, so it is unknown what an update, or its repeat, does to them. */
function checkEmbedded({ path, parts, fields }: CheckedStream, { embeds }: CrossCheckFacts): Problem[] {
  return embeds(parts.resource ?? "").flatMap((field): Problem[] => {
    const words = fields.get(field);
    if (words === undefined || (typeof words === "object" && words.own === "create")) return [];
    const message =
      "found whole records, which each update may create again; expected own: create, or a stream of their own";
    return [{ path: [...path, "fields", field], atName: true, message }];
  });
}

/** A natural key can be searched for only in fields that are written, and not in lists that others write to as well. */
function checkMatch({ path, parts, fields, fieldNames }: CheckedStream): Problem[] {
  const match = parts.match ?? [];
  const rules = Array.isArray(match) ? match.map((rule, at) => ({ rule, at: [at] })) : [{ rule: match, at: [] }];
  return rules.flatMap(({ rule, at: ruleAt }): Problem[] => {
    const named = typeof rule === "string" ? [{ field: rule, at: ruleAt }] : rulePlaces(rule, ruleAt);
    return named.flatMap(({ field, at }): Problem[] => {
      const place = [...path, "match", ...at];
      if (!fieldNames.includes(field))
        return [
          { path: place, message: `found "${field}", which is not under fields${didYouMean(field, fieldNames)}` },
        ];
      if (field.startsWith("customFields."))
        return [{ path: place, message: `found "${field}", but the service cannot look for a custom field` }];
      return isTags(fields.get(field)) ? [{ path: place, message: `found "${field}", but tags name no record` }] : [];
    });
  });
}

/** A stream that creates nothing finds records by their natural keys, and cannot create one again. */
function checkCreate({ path, parts }: CheckedStream): Problem[] {
  if (parts.create !== "never") return [];
  const problems: Problem[] = [];
  if (parts.match === undefined)
    problems.push({
      path: [...path, "create"],
      message: "found never without match, expected match: by it, svcsync finds the records that the service has",
    });
  for (const word of ["gone", "moved"] as const)
    if (parts[word] === "recreate")
      problems.push({
        path: [...path, word],
        message: "found recreate beside create: never, expected park, or create: always",
      });
  return problems;
}

function rulePlaces(rule: string[] | { fields: string[] }, at: FilePath): { field: string; at: FilePath }[] {
  const below = Array.isArray(rule) ? at : [...at, "fields"];
  return (Array.isArray(rule) ? rule : rule.fields).map((field, index) => ({ field, at: [...below, index] }));
}

function isTags(words: FieldWords | undefined): boolean {
  return typeof words === "object" && "tags" in words;
}

/** A record can be restored in the ERP: `fields` must then correct what its deletion wrote. */
function checkDeletedSet({ path, parts, fields, fieldNames }: CheckedStream): Problem[] {
  return Object.keys(parts.deleted?.set ?? {}).flatMap((field): Problem[] => {
    const place = { path: [...path, "deleted", "set", field], atName: true };
    const words = fields.get(field);
    if (!fieldNames.includes(field))
      return [{ ...place, message: "not under fields, so a record that comes back would keep this value" }];
    if (isTags(words)) return [{ ...place, message: "tags are added and removed, a deletion cannot set them" }];
    const own = typeof words === "object" ? words.own : undefined;
    if (own === "create" || own === "empty")
      return [{ ...place, message: `own: ${own} under fields, so a record that comes back would keep this value` }];
    return [];
  });
}

function checkCircles(streams: readonly CheckedStream[], known: CrossCheckFacts): Problem[] {
  const { circles } = orderStreams(known.streams, referencesOf(streams));
  return circles.map(({ reference: { stream, field }, way }) => ({
    path: ["streams", stream, "fields", field, "ref"],
    message: `streams refer to each other in a circle (${way.join(" → ")}): none of them could be first`,
  }));
}
