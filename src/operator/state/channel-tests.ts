import type { ErrorFacts } from "#model";

/** The result of a channel's test message. */
export type ChannelTest =
  | { readonly channel: string; readonly isDelivered: true }
  | { readonly channel: string; readonly isDelivered: false; readonly error: ErrorFacts; readonly remedy: string };

export const noChannel =
  "No channel is set up. Set NOTIFY_EMAIL_TO and SMTP_URL, NOTIFY_CHAT_URL or NOTIFY_WEBHOOK_URL; docs/notifications.md explains them.";
