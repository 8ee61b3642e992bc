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

/** Words that others begin their names with, too. */
const commonWords: ReadonlySet<string> = new Set(["DATA", "SYNC", "BLOCKED", "HTTPS", "HTTP", "NO", "OTEL"]);

/** A name that begins so is meant for svcsync, so an unknown one is a mistake. */
export const ownPrefixes: readonly string[] = Object.keys(keys)
  .map((key) => key.split("_", 1).join())
  .filter((word) => !commonWords.has(word))
  .map((word) => `${word}_`);

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
