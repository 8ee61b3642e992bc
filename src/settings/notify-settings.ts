import { hostname } from "node:os";
import { needs, type EnvironmentProblem } from "./problem.ts";
import type { Values } from "./schema/schema.ts";

export type { QuietHours } from "./schema/quiet-hours.ts";

/** Who receives which notifications, and when. Secret addresses are in `Secrets`. */
export type NotifySettings = Readonly<ReturnType<typeof notifySettings>>;

const MEGABYTE = 1024 * 1024;
const SUBMISSION = 587;
const SUBMISSIONS = 465;

/** Interprets the keys of notifications. */
export function notifySettings(values: Values, problems: EnvironmentProblem[]) {
  problems.push(
    ...needs(values, "NOTIFY_WEBHOOK_KEY", "NOTIFY_WEBHOOK_URL", "the address that NOTIFY_WEBHOOK_KEY signs for"),
    ...needs(values, "NOTIFY_EMAIL_TO", "SMTP_URL", "the mail server that NOTIFY_EMAIL_TO needs"),
    ...needs(values, "SMTP_URL", "NOTIFY_EMAIL_TO", "who gets the e-mail that SMTP_URL sends"),
    ...needs(values, "SMTP_USERNAME", "SMTP_PASSWORD", "the password of SMTP_USERNAME"),
    ...needs(values, "SMTP_PASSWORD", "SMTP_USERNAME", "the user that SMTP_PASSWORD belongs to"),
  );
  return {
    /** The name of this installation in messages. */
    name: values.NOTIFY_NAME ?? hostname(),
    /** How long a retried operation must fail before it is reported, in milliseconds. */
    afterMs: values.NOTIFY_AFTER,
    /** Interval between reminders, in milliseconds; 0: no reminders. */
    remindMs: values.NOTIFY_REMIND_EVERY ?? 0,
    timezone: values.NOTIFY_TIMEZONE ?? new Intl.DateTimeFormat().resolvedOptions().timeZone,
    /** How long a stream may be without changes, in milliseconds; `auto`: as its history suggests, `none`: without limit. */
    silence: values.NOTIFY_SILENCE,
    diskFreeBytes: values.NOTIFY_DISK_FREE_MB * MEGABYTE,
    email: emailOf(values),
    chat:
      values.NOTIFY_CHAT_URL === undefined
        ? undefined
        : { min: values.NOTIFY_CHAT_MIN, quiet: values.NOTIFY_CHAT_QUIET, format: values.NOTIFY_CHAT_FORMAT },
    webhook:
      values.NOTIFY_WEBHOOK_URL === undefined
        ? undefined
        : { min: values.NOTIFY_WEBHOOK_MIN, quiet: values.NOTIFY_WEBHOOK_QUIET },
    /** Pause between calls of the dead-man switch while everything is in sync, in milliseconds; undefined without a switch. */
    heartbeatMs: values.HEARTBEAT_URL === undefined ? undefined : values.HEARTBEAT_EVERY_SECONDS,
    /** Hosts that are called without a proxy. */
    noProxy: values.NO_PROXY ?? [],
  };
}

function emailOf(values: Values) {
  const { NOTIFY_EMAIL_TO: to, SMTP_URL: url } = values;
  if (to === undefined || url === undefined) return undefined;
  const { hostname: host, port, protocol } = new URL(url);
  const implicitTls = protocol === "smtps:";
  return {
    min: values.NOTIFY_EMAIL_MIN,
    quiet: values.NOTIFY_EMAIL_QUIET,
    host: host.replace(/^\[|\]$/g, ""),
    port: port === "" ? (implicitTls ? SUBMISSIONS : SUBMISSION) : Number(port),
    implicitTls,
    username: values.SMTP_USERNAME,
    from: values.NOTIFY_EMAIL_FROM ?? to[0]!,
    to,
    caFile: values.SMTP_CA_FILE,
  };
}
