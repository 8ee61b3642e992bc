import type { ErrorCode } from "#model";
import type { Fault } from "../engines/engine.ts";
import { errorCode, errorText, networkFault } from "../engines/network-fault.ts";

/** SQLSTATE values and classes, from the appendix of PostgreSQL's manual. */
const states: readonly (readonly [state: RegExp, code: ErrorCode])[] = [
  [/^28/, "E_SOURCE_LOGIN"],
  [/^3D000$/, "E_SOURCE_DATABASE"],
  [/^42P01$|^3F000$/, "E_SOURCE_TABLE"],
  [/^42703$/, "E_SOURCE_COLUMN"],
  [/^42501$/, "E_SOURCE_FORBIDDEN"],
  [/^57014$/, "E_SOURCE_TIMEOUT"],
  [/^(40001|40P01|55P03|53...)$/, "E_SOURCE_BUSY"],
  [/^(08...|57P0.|58...|25P03)$/, "E_SOURCE_UNREACHABLE"],
];

export function postgresFault(error: unknown): Fault | undefined {
  const code = errorCode(error);
  const text = errorText(error);
  const known = states.find(([state]) => code !== undefined && state.test(code));
  if (known) return { code: known[1], subject: /"([^"]+)"/.exec(text)?.[1] };
  if (/read timeout/.test(text)) return { code: "E_SOURCE_TIMEOUT" };
  if (/does not support SSL/.test(text)) return { code: "E_SOURCE_TLS" };
  if (/terminated|timeout expired|timeout exceeded|not queryable|Client was closed/.test(text))
    return { code: "E_SOURCE_UNREACHABLE" };
  if (/password must be a string|SASL/.test(text)) return { code: "E_SOURCE_LOGIN" };
  return networkFault(error);
}
