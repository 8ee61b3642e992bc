import { z } from "zod";
import { duration, isTimeZone } from "#model";
import { optional, secretKey, withDefault } from "./key.ts";
import { quietHours } from "./quiet-hours.ts";
import { address, membersList, oneOf, orNone, seconds, anyText, wholeNumber } from "./values.ts";

const mailAddress = z.string().regex(/^[^\s@<>,]+@[^\s@<>,]+$/, "an address such as operator@example.com");
const severity = oneOf(["note", "warning", "problem"]);
const minimum = (channel: string) =>
  withDefault(
    severity,
    "warning",
    `The lowest severity that ${channel} reports: note, warning (something fails and is retried, or will fail) or problem (you must act).`,
  );
const quiet = (channel: string) =>
  optional(
    quietHours,
    "Mon-Fri 18:00-07:00, Sat-Sun",
    `Quiet hours for ${channel}: messages wait, and are then sent as one.`,
  );

const zone = z.string().refine(isTimeZone, "a time zone such as Europe/Berlin");

/** Who receives which notifications, and when. */
export const notifyKeys = {
  NOTIFY_NAME: optional(
    anyText,
    "Example Ltd",
    "The name of this installation in messages. Default: the machine's name.",
  ),
  NOTIFY_AFTER: withDefault(
    duration,
    "15m",
    "How long a retried action must fail before it is reported. Problems that need your action are reported at once.",
  ),
  NOTIFY_REMIND_EVERY: withDefault(
    orNone(duration, "a duration such as 12h or 7d, or none"),
    "1d",
    "How often a lasting problem is reported again, for example 12h or 7d; none for never.",
  ),
  NOTIFY_TIMEZONE: optional(zone, "Europe/Berlin", "The time zone of quiet hours. Default: the machine's."),
  NOTIFY_SILENCE: withDefault(
    z.union([z.literal("auto"), z.literal("none"), duration], "a duration such as 36h or 7d, none or auto"),
    "auto",
    "A stream without any change for this long is reported: a duration, none, or auto (twice the longest pause of the last four weeks, at least a day).",
  ),
  NOTIFY_DISK_FREE_MB: withDefault(
    wholeNumber(0, 1_000_000_000),
    "500",
    "Free space in DATA_DIR below which a problem is reported, in megabytes; 0 for never.",
  ),
  NOTIFY_EMAIL_TO: optional(
    membersList.pipe(z.array(mailAddress)),
    "operator@example.com",
    "Who gets e-mail, comma-separated. Needs SMTP_URL.",
  ),
  NOTIFY_EMAIL_FROM: optional(mailAddress, "svcsync@example.com", "The sender of e-mail. Default: the first receiver."),
  NOTIFY_EMAIL_MIN: minimum("e-mail"),
  NOTIFY_EMAIL_QUIET: quiet("e-mail"),
  SMTP_URL: optional(
    address(["smtp", "smtps"]).refine(isServer, "only scheme, host and port, as in smtp://mail.example.com:587"),
    "smtp://mail.example.com:587",
    "The mail server: smtp:// (STARTTLS, which a login needs) or smtps:// (TLS from the start).",
  ),
  SMTP_USERNAME: optional(anyText, "", "The user for the mail server, if it requires a login."),
  SMTP_PASSWORD: secretKey(anyText, "", "The password of SMTP_USERNAME."),
  SMTP_CA_FILE: optional(
    anyText,
    "/etc/ssl/our-authority.pem",
    "A PEM file with the authority of the mail server's certificate.",
  ),
  NOTIFY_CHAT_URL: secretKey(
    address(["https", "http"]),
    "https://hooks.slack.com/services/…",
    "The incoming webhook of a chat: Slack, Mattermost, Google Chat, Teams.",
  ),
  NOTIFY_CHAT_FORMAT: withDefault(
    oneOf(["slack", "teams"]),
    "slack",
    "What the chat reads: slack (a JSON object with text) or teams (an Adaptive Card).",
  ),
  NOTIFY_CHAT_MIN: minimum("the chat"),
  NOTIFY_CHAT_QUIET: quiet("the chat"),
  NOTIFY_WEBHOOK_URL: secretKey(
    address(["https", "http"]),
    "https://example.com/svcsync",
    "Where messages go as JSON.",
  ),
  NOTIFY_WEBHOOK_KEY: secretKey(
    z.string().min(16, "at least 16 characters"),
    "",
    "Signs messages to NOTIFY_WEBHOOK_URL, see docs/notifications.md. 16 characters or more.",
  ),
  NOTIFY_WEBHOOK_MIN: minimum("the webhook"),
  NOTIFY_WEBHOOK_QUIET: quiet("the webhook"),
  HEARTBEAT_URL: secretKey(
    address(["https", "http"]),
    "https://hc-ping.com/…",
    "Called while svcsync is in sync with the ERP, so that silence raises an alarm; otherwise called with /fail and the reason.",
  ),
  HEARTBEAT_EVERY_SECONDS: withDefault(
    seconds(1, 86_400),
    "60",
    "Pause between two calls of HEARTBEAT_URL, in seconds.",
  ),
};

/** Whether the address names only a server: user and password have their own keys. */
function isServer(value: string): boolean {
  const { username, password, pathname, search, hash } = new URL(value);
  return username === "" && password === "" && /^\/?$/.test(pathname) && search === "" && hash === "";
}
