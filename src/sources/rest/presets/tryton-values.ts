import { isJsonObject, type Json, type JsonObject } from "#model";
import { jsonText, type Wall, wallText } from "../wire.ts";

/** Tryton's tagged values made plain: instants and dates as ISO text, decimals as text; everything else as it is. */
export function plain(value: Json): Json {
  if (Array.isArray(value)) return value.map(plain);
  if (!isJsonObject(value)) return value;
  const kind = value["__class__"];
  if (kind === undefined) return plainRow(value);
  if (kind === "datetime") return `${isoDate(value)}T${isoTime(value)}`;
  if (kind === "date") return isoDate(value);
  if (kind === "time") return isoTime(value);
  if (kind === "Decimal") return jsonText(value["decimal"]);
  if (kind === "timedelta") return value["seconds"] ?? null;
  return value["base64"] ?? value;
}

export function plainRow(row: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(row).map(([name, member]) => [name, plain(member)]));
}

/** An instant as Tryton's domains want it. */
export function tagged(wall: Wall): JsonObject {
  const names = ["year", "month", "day", "hour", "minute", "second", "microsecond"];
  const parts = wallText(wall)
    .split(/[-T:.]/)
    .map((part, at) => [names[at], Number(part)]);
  return { __class__: "datetime", ...Object.fromEntries(parts) };
}

function isoDate(value: JsonObject): string {
  return `${digits(value["year"], 4)}-${digits(value["month"], 2)}-${digits(value["day"], 2)}`;
}

function isoTime(value: JsonObject): string {
  const time = [value["hour"], value["minute"], value["second"]].map((part) => digits(part, 2)).join(":");
  return `${time}.${digits(value["microsecond"], 6)}`;
}

function digits(value: Json | undefined, length: number): string {
  return jsonText(value ?? 0).padStart(length, "0");
}
