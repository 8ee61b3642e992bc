/** The parts of `wire/` that the presets use. */
export { jsonOf } from "../wire/client/json-answer.ts";
export { openLogin, refuseUnlessOk, session, type Login, type LoginDeps as LoginParts } from "../wire/client/login.ts";
export { encodeStamp } from "../wire/stamps/stamp-format.ts";
export { isStray, jsonText, jsonValue, rowAt, rowsAt, valueAt } from "../wire/stamps/values.ts";
export { wallText, type Wall } from "../wire/stamps/wall.ts";
export { isEmpty404, isOwn404 } from "../wire/client/web-errors.ts";
export type { WebRequest } from "../wire/client/web-client.ts";
