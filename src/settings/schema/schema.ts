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
import type { SettingKey } from "./key.ts";
import { notifyKeys } from "./notify-keys.ts";
import { pageKeys } from "./page-keys.ts";
import { proxyKeys, serviceKeys } from "./service-keys.ts";

/** The one definition of all keys that svcsync reads, in the order of `.env.example`. */
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

/** The keys by heading of `.env.example`, in its order. */
export const sections: readonly { readonly title: string; readonly keys: Readonly<Record<string, SettingKey>> }[] = [
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

/** Prefixes that other programs also use. */
const commonWords: ReadonlySet<string> = new Set(["DATA", "SYNC", "BLOCKED", "HTTPS", "HTTP", "NO", "OTEL", "SOURCE"]);

/** Prefixes of names that are meant for svcsync: an unknown name with one of them is a mistake. */
export const ownPrefixes: readonly string[] = Object.keys(keys)
  .map((key) => key.split("_", 1).join())
  .filter((word) => !commonWords.has(word))
  .map((word) => `${word}_`);

/** The parsed values of all keys. */
export type Values = {
  readonly [Name in keyof typeof keys]: (typeof keys)[Name] extends SettingKey<infer Value, infer Default>
    ? Default extends string
      ? Value
      : Value | undefined
    : never;
};

/** What the key expects instead of this text, for a problem; undefined if it accepts the text. */
export function wantedInstead(name: keyof typeof keys, text: string): string | undefined {
  return keys[name].value.safeParse(text).error?.issues[0]?.message;
}
