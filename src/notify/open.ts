import type { HttpSettings } from "#http";
import type { Clock } from "#model";
import type { NotifySettings, Secrets } from "#settings";
import { openSmtp } from "./channels/smtp.ts";
import { openWebhook } from "./channels/webhook.ts";
import type { OpenChannel } from "./notifier.ts";

export interface ChannelContext {
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly version: string;
}

/** The channels that the settings name, not yet connected. */
export function openChannels(settings: NotifySettings, { secrets, clock, version }: ChannelContext): OpenChannel[] {
  const { email, chat, webhook } = settings;
  const { chatUrl, webhookUrl } = secrets;
  const userAgent = `svcsync/${version}`;
  const common = { userAgent, clock };
  const open: OpenChannel[] = [];
  if (email) open.push({ ...email, channel: openSmtp(email, secrets.smtpPassword) });
  if (chat && chatUrl !== undefined) {
    const proxy = proxyOf(chatUrl, settings, secrets);
    open.push({
      ...chat,
      channel: openWebhook({ ...common, proxy, name: "chat", url: chatUrl, format: chat.format, key: undefined }),
    });
  }
  if (webhook && webhookUrl !== undefined) {
    const proxy = proxyOf(webhookUrl, settings, secrets);
    const key = secrets.webhookKey;
    open.push({
      ...webhook,
      channel: openWebhook({ ...common, proxy, name: "webhook", url: webhookUrl, format: "json", key }),
    });
  }
  return open;
}

/** The proxy for an address, from HTTPS_PROXY, HTTP_PROXY and NO_PROXY. */
export function proxyOf(
  url: string,
  { noProxy }: Pick<NotifySettings, "noProxy">,
  { proxies }: Secrets,
): HttpSettings["proxy"] {
  const proxy = url.startsWith("https:") ? proxies?.https : proxies?.http;
  return proxy === undefined ? undefined : { url: proxy, except: noProxy };
}
