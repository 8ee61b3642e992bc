import type { ColumnMetadata } from "tedious/lib/token/colmetadata-token-parser.js";
import type { Column, ColumnKind } from "../engines/engine.ts";

/** The user type by which the protocol distinguishes a row version from other binary columns (MS-TDS, COLMETADATA). */
const rowversionUserType = 0x50;

/** The length by which the protocol tells a `max` type (MS-TDS, USHORTMAXLEN). */
const maxLength = 0xffff;

const kinds: Readonly<Record<string, readonly [type: string, kind: ColumnKind]>> = {
  TinyInt: ["tinyint", "integer"],
  SmallInt: ["smallint", "integer"],
  Int: ["int", "integer"],
  BigInt: ["bigint", "integer"],
  IntN: ["bigint", "integer"],
  Bit: ["bit", "boolean"],
  BitN: ["bit", "boolean"],
  Float: ["float", "float"],
  FloatN: ["float", "float"],
  Money: ["money", "decimal"],
  SmallMoney: ["money", "decimal"],
  MoneyN: ["money", "decimal"],
  Date: ["date", "date"],
  Time: ["time(7)", "time"],
  SmallDateTime: ["smalldatetime", "datetime"],
  DateTime: ["datetime", "datetime"],
  DateTime2: ["datetime2(7)", "datetime"],
  DateTimeOffset: ["datetimeoffset(7)", "instant"],
  Char: ["varchar(8000)", "text"],
  VarChar: ["varchar(8000)", "text"],
  Text: ["varchar(max)", "text"],
  UniqueIdentifier: ["uniqueidentifier", "text"],
  Binary: ["binary", "binary"],
  VarBinary: ["varbinary", "binary"],
  Image: ["image", "binary"],
  UDT: ["user-defined type", "binary"],
  // Each row has a type of its own, and the driver rounds some of them.
  Variant: ["sql_variant", "binary"],
};

/** Returns a column as the driver describes it. `type` is what a bound value is converted to before it is compared with the column. */
export function mssqlColumn(metadata: Metadata): Column {
  const { colName: name, userType, precision, scale, dataLength } = metadata;
  const word = metadata.type.name;
  if (userType === rowversionUserType) return { name, kind: "rowversion", type: "rowversion" };
  if (/^(Decimal|Numeric)N?$/.test(word)) return { name, kind: "decimal", type: `decimal(${precision}, ${scale})` };
  if (word === "DateTimeN") return { name, kind: "datetime", type: dataLength === 4 ? "smalldatetime" : "datetime" };
  if (word === "Real" || (word === "FloatN" && dataLength === 4))
    return { name, kind: "float", type: "real", isSingle: true };
  const isPadded = word === "Char" || word === "NChar";
  if (dataLength === maxLength && word === "VarChar") return { name, kind: "text", type: "varchar(max)" };
  const isShort = isPadded || dataLength !== maxLength;
  if (isShort && (word === "NVarChar" || word === "NChar"))
    return { name, kind: "text", type: "nvarchar(4000)", isPadded };
  const [type, kind] = kinds[word] ?? ["nvarchar(max)", "text"];
  return { name, kind, type, isPadded };
}

type Known = Pick<ColumnMetadata, "colName" | "userType">;

interface Metadata extends Known {
  readonly type: { readonly name: string };
  readonly precision?: number | undefined;
  readonly scale?: number | undefined;
  readonly dataLength?: number | undefined;
}
