/** What the presets take from the sources' wire formats. */
export { jsonOf, openLogin, refuseUnlessOk, session, type Login, type LoginDeps as LoginParts } from "../wire/login.ts";
export { jsonText, jsonValue } from "../wire/json-value.ts";
export { decodeStamp, encodeStamp } from "../wire/stamp-format.ts";
export { rowsAt, valueAt } from "../wire/values.ts";
export { wallText, type Wall } from "../wire/wall.ts";
export type { WebRequest } from "../wire/web-client.ts";
