export type { Condition, ConditionKind } from "./condition.ts";
export { conditionsOf, type ConditionPolicy, type Expiry, type NoticeFacts } from "./conditions.ts";
export { Expiries } from "./expiries.ts";
export { Notifier, type OpenChannel } from "./notifier.ts";
export { openChannels, proxyOf } from "./open.ts";
export { namedChannels, testChannels } from "./test-message.ts";
export { tellingHttp } from "./channels/webhook.ts";
export { SILENCE_SPAN_MS, silentStreams } from "./silence.ts";
