import type { Manners } from "./presets.ts";

/** A value as a filter writes it, by its type in `$metadata`. */
export function literal(value: string, type: string, { version }: Manners): string {
  const name = type.replace(/^Edm\./, "");
  switch (name) {
    case "Int64":
      return version === "v2" ? `${value}L` : value;
    case "Decimal":
      return version === "v2" ? `${value}M` : value;
    case "Guid":
      return version === "v2" ? `guid'${value}'` : value;
    case "Byte":
    case "SByte":
    case "Int16":
    case "Int32":
    case "Single":
    case "Double":
    case "Boolean":
    case "Date":
      return value;
    case "DateTimeOffset":
      return version === "v2" ? `datetimeoffset'${value}'` : value;
    case "DateTime":
      return `datetime'${value}'`;
    default:
      return `'${value.replaceAll("'", "''")}'`;
  }
}
