import {
  careKeys,
  deliveryKeys,
  fileKeys,
  healthKeys,
  logKeys,
  nudgeKeys,
  pollingKeys,
  queueKeys,
  statusKeys,
  storeKeys,
} from "./daemon-keys.ts";
import { dialectKeys } from "./dialect-keys.ts";
import type { Key } from "./key.ts";
import { notifyKeys } from "./notify-keys.ts";
import { pageKeys } from "./page-keys.ts";
import { proxyKeys, serviceKeys } from "./service-keys.ts";

/** Every key that svcsync reads, in the order of `.env.example`: the one definition. */
export const keys = {
  ...serviceKeys,
  ...proxyKeys,
  ...fileKeys,
  ...storeKeys,
  ...queueKeys,
  ...pollingKeys,
  ...nudgeKeys,
  ...deliveryKeys,
  ...healthKeys,
  ...pageKeys,
  ...statusKeys,
  ...notifyKeys,
  ...careKeys,
  ...logKeys,
  ...dialectKeys,
};

/** Whether svcsync reads a key of this name. */
export function isSettingsKey(name: string): boolean {
  return Object.hasOwn(keys, name);
}

/** The keys under the headings of `.env.example`, in its order. */
export const sections: readonly { readonly title: string; readonly keys: Readonly<Record<string, Key>> }[] = [
  { title: "The service", keys: serviceKeys },
  { title: "Proxy", keys: proxyKeys },
  { title: "Files", keys: fileKeys },
  { title: "Store", keys: storeKeys },
  { title: "Queue", keys: queueKeys },
  { title: "Polls, sweeps and deletions", keys: pollingKeys },
  { title: "Nudges: polls between the intervals", keys: nudgeKeys },
  { title: "Delivery", keys: deliveryKeys },
  { title: "Health and status page", keys: healthKeys },
  { title: "Access to the status page", keys: pageKeys },
  { title: "Status", keys: statusKeys },
  { title: "Notifications", keys: notifyKeys },
  { title: "Backups and comparisons", keys: careKeys },
  { title: "Log and traces", keys: logKeys },
  { title: "Dialect: what the API reference of the service leaves open", keys: dialectKeys },
];

/**
 * A name that begins so is meant for svcsync, so an unknown one is a mistake. `DATA_`, `SYNC_` and the proxies' are left
 * out: others use those words too.
 */
export const ownPrefixes = [
  "SERVICE_",
  "DIALECT_",
  "STORE_",
  "QUEUE_",
  "POLL_",
  "NUDGE_",
  "SWEEP_",
  "DELETE_",
  "CHANGE_",
  "DELIVERY_",
  "RETRY_",
  "SETTLE_",
  "STOP_",
  "AUDIT_",
  "HEALTH_",
  "PAGE_",
  "NOTIFY_",
  "BACKUP_",
  "RECONCILE_",
  "SMTP_",
  "HEARTBEAT_",
  "LOG_",
] as const;

/** The values of all keys, each as its schema gave it. */
export type Values = {
  readonly [Name in keyof typeof keys]: (typeof keys)[Name] extends Key<infer Value, infer Default>
    ? Default extends string
      ? Value
      : Value | undefined
    : never;
};

/** What a key wants instead of this text, as a problem says it; undefined where it takes the text. */
export function wantedInstead(name: keyof typeof keys, text: string): string | undefined {
  return keys[name].value.safeParse(text).error?.issues[0]?.message;
}
