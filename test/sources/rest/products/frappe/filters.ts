import { jsonText } from "../../../../../src/sources/wire/stamps/values.ts";
import type { Json } from "#model";
import { collate } from "./site.ts";

/** `[field, operator, value]`, or `[DocType, field, operator, value]`. */
export type Condition = [string, string, Json] | [string, string, string, Json];

/** A filter that Frappe refuses. */
export class InvalidFilter extends Error {}

const COMPARED: Readonly<Record<string, (order: number) => boolean>> = {
  "=": (order) => order === 0,
  "!=": (order) => order !== 0,
  ">": (order) => order > 0,
  "<": (order) => order < 0,
  ">=": (order) => order >= 0,
  "<=": (order) => order <= 0,
};

/** The operators of frappe/utils/data.py, get_filter, that a list of records needs. */
export function conditionOf(operator: string, wanted: Json): (found: Json) => boolean {
  const compared = Object.hasOwn(COMPARED, operator) ? COMPARED[operator] : undefined;
  if (compared !== undefined) return (found) => (found === null ? operator === "!=" : compared(order(found, wanted)));
  switch (operator) {
    case "in":
      return (found) => listOf(wanted).some((one) => order(found, one) === 0);
    case "not in":
      return (found) => !listOf(wanted).some((one) => order(found, one) === 0);
    case "like":
      return (found) => like(found, wanted);
    case "not like":
      return (found) => !like(found, wanted);
    case "is":
      return (found) => (found === null || found === "") === (wanted === "not set");
    case "between": {
      const [from = null, to = null] = listOf(wanted);
      return (found) => found !== null && order(found, from) >= 0 && order(found, to) <= 0;
    }
    default:
      throw new InvalidFilter(`Operator must be one of =, !=, >, <, >=, <=, like, not like, in, not in, is, between`);
  }
}

/** Stamps are compared as instants: a text with a fraction and one without may be the same. */
function order(found: Json, wanted: Json): number {
  const [left, right] = [found, wanted].map((value) =>
    typeof value === "string" && /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/.test(value)
      ? value.padEnd(20, ".").padEnd(26, "0")
      : value,
  );
  if (typeof left === "number") return left - Number(right);
  return collate(left ?? null, right ?? null);
}

function like(found: Json, wanted: Json): boolean {
  const escaped = jsonText(wanted).replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  return new RegExp(`^${escaped.replaceAll("%", ".*").replaceAll("_", ".")}$`, "is").test(jsonText(found ?? ""));
}

function listOf(value: Json): Json[] {
  return Array.isArray(value) ? value : jsonText(value).split(",");
}
