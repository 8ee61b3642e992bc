import { hostname } from "node:os";
import type { Problem } from "./problem.ts";
import type { QuietHours } from "./schema/quiet-hours.ts";
import type { Values } from "./schema/schema.ts";

export type { QuietHours } from "./schema/quiet-hours.ts";

/** What a channel tells, and when. */
export interface ChannelSettings {
  /** The least that it tells. */
  readonly min: "note" | "warning" | "problem";
  readonly quiet: QuietHours | undefined;
}

/** Who is told what, and when. Addresses that are secret are in `Secrets`. */
export interface NotifySettings {
  /** How messages call this installation. */
  readonly name: string;
  /** How long something that is retried must fail before it is reported, in milliseconds. */
  readonly afterMs: number;
  /** 0: no reminders. */
  readonly remindMs: number;
  readonly timezone: string;
  /** How long a stream may be without changes, in milliseconds. */
  readonly silence: "auto" | "none" | number;
  readonly diskFreeBytes: number;
  readonly email:
    | (ChannelSettings & {
        readonly host: string;
        readonly port: number;
        readonly implicitTls: boolean;
        readonly username: string | undefined;
        readonly from: string;
        readonly to: readonly string[];
        readonly caFile: string | undefined;
      })
    | undefined;
  readonly chat: (ChannelSettings & { readonly format: "slack" | "teams" }) | undefined;
  readonly webhook: ChannelSettings | undefined;
  /** How often the dead-man switch is called while everything is in sync; undefined without one. */
  readonly heartbeatMs: number | undefined;
  /** Hosts that are reached without a proxy. */
  readonly noProxy: readonly string[];
}

const MEGABYTE = 1024 * 1024;
const SUBMISSION = 587;
const SUBMISSIONS = 465;

/** What the keys of notifications mean together. */
export function notifySettings(values: Values, problems: Problem[]): NotifySettings {
  if (values.NOTIFY_WEBHOOK_KEY !== undefined && values.NOTIFY_WEBHOOK_URL === undefined)
    problems.push({
      key: "NOTIFY_WEBHOOK_URL",
      found: "nothing",
      wanted: "the address that NOTIFY_WEBHOOK_KEY signs for",
    });
  return {
    name: values.NOTIFY_NAME ?? hostname(),
    afterMs: values.NOTIFY_AFTER,
    remindMs: values.NOTIFY_REMIND_EVERY ?? 0,
    timezone: values.NOTIFY_TIMEZONE ?? new Intl.DateTimeFormat().resolvedOptions().timeZone,
    silence: values.NOTIFY_SILENCE,
    diskFreeBytes: values.NOTIFY_DISK_FREE_MB * MEGABYTE,
    email: emailOf(values, problems),
    chat:
      values.NOTIFY_CHAT_URL === undefined
        ? undefined
        : { min: values.NOTIFY_CHAT_MIN, quiet: values.NOTIFY_CHAT_QUIET, format: values.NOTIFY_CHAT_FORMAT },
    webhook:
      values.NOTIFY_WEBHOOK_URL === undefined
        ? undefined
        : { min: values.NOTIFY_WEBHOOK_MIN, quiet: values.NOTIFY_WEBHOOK_QUIET },
    heartbeatMs: values.HEARTBEAT_URL === undefined ? undefined : values.HEARTBEAT_EVERY_SECONDS,
    noProxy: values.NO_PROXY ?? [],
  };
}

function emailOf(values: Values, problems: Problem[]): NotifySettings["email"] {
  const { NOTIFY_EMAIL_TO: to, SMTP_URL: url, SMTP_USERNAME: username, SMTP_PASSWORD: password } = values;
  if (to !== undefined && url === undefined)
    problems.push({ key: "SMTP_URL", found: "nothing", wanted: "the mail server that NOTIFY_EMAIL_TO needs" });
  if (url !== undefined && to === undefined)
    problems.push({ key: "NOTIFY_EMAIL_TO", found: "nothing", wanted: "who gets the e-mail that SMTP_URL sends" });
  if (username !== undefined && password === undefined)
    problems.push({ key: "SMTP_PASSWORD", found: "nothing", wanted: "the password of SMTP_USERNAME" });
  if (password !== undefined && username === undefined)
    problems.push({ key: "SMTP_USERNAME", found: "nothing", wanted: "the user that SMTP_PASSWORD belongs to" });
  if (to === undefined || url === undefined) return undefined;
  const { hostname: host, port, protocol } = new URL(url);
  const implicitTls = protocol === "smtps:";
  return {
    min: values.NOTIFY_EMAIL_MIN,
    quiet: values.NOTIFY_EMAIL_QUIET,
    host: host.replace(/^\[|\]$/g, ""),
    port: port === "" ? (implicitTls ? SUBMISSIONS : SUBMISSION) : Number(port),
    implicitTls,
    username,
    from: values.NOTIFY_EMAIL_FROM ?? to[0]!,
    to,
    caFile: values.SMTP_CA_FILE,
  };
}
