import { isJsonObject, ParkError, RetryError, type Json } from "#model";
import { jsonText } from "../wire/walk/json-value.ts";

const MESSAGE_LENGTH = 300;
/** Errors of the database that are over by the next try. */
const PASSING = /SerializationFailure|OperationalError|LockNotAvailable|DeadlockDetected|PoolError/;

/** The result of a JSON-RPC answer; null where a method has none. */
export function resultOf(answer: Json): Json {
  return isJsonObject(answer) ? (answer["result"] ?? null) : null;
}

/** JSON-RPC reports errors in a 200. @throws what the class of Odoo's exception means for the stream. */
export function refuseRpcErrors(answer: Json): void {
  const error = isJsonObject(answer) ? answer["error"] : undefined;
  if (!isJsonObject(error)) return;
  const data = isJsonObject(error["data"]) ? error["data"] : {};
  const kind = jsonText(data["name"]);
  const said = `${kind}: ${jsonText(data["message"] ?? error["message"])}`.slice(0, MESSAGE_LENGTH);
  if (PASSING.test(kind)) throw new RetryError("E_SOURCE_FAILED", `Odoo failed: ${said}`);
  if (kind.endsWith("AccessDenied")) throw new ParkError("E_SOURCE_LOGIN", `Odoo refused the credentials: ${said}`);
  if (kind.endsWith("AccessError"))
    throw new ParkError("E_SOURCE_FORBIDDEN", `Odoo: the user may not read this: ${said}`);
  throw new ParkError("E_SOURCE_REQUEST", `Odoo refused the call: ${said}`);
}
