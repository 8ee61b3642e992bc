import { secretsInAddress } from "#model";
import { keys, type Values } from "./schema/schema.ts";

/** Values that must never be shown. Each one is also given to telemetry's redaction. */
export interface Secrets {
  readonly serviceToken: string | undefined;
  readonly servicePassword: string | undefined;
  readonly serviceCode: string | undefined;
  /** STORE_URL may carry a password. */
  readonly storeUrl: string | undefined;
  /** QUEUE_URL may carry a password. */
  readonly queueUrl: string | undefined;
  /** Allows an ERP to trigger polls. */
  readonly nudgeToken?: string | undefined;
  /** Gives access to the page. */
  readonly pageToken?: string | undefined;
  /** Users of the page, with their password hashes. */
  readonly pageUsers?:
    | readonly { readonly name: string; readonly role: "read" | "act"; readonly hash: string }[]
    | undefined;
  /** The proxy's address with its credentials; absent if no proxy is set. */
  readonly proxyUrl?: string | undefined;
  readonly smtpPassword?: string | undefined;
  /** Addresses that allow anyone who knows them to post messages. */
  readonly chatUrl?: string | undefined;
  readonly webhookUrl?: string | undefined;
  readonly heartbeatUrl?: string | undefined;
  readonly webhookKey?: string | undefined;
  /** Proxies by scheme, with their credentials, for addresses other than the service's. */
  readonly proxies?: { readonly http: string | undefined; readonly https: string | undefined };
}

export function secretsOf(values: Values, proxyUrl: string | undefined): Secrets {
  return {
    serviceToken: values.SERVICE_TOKEN,
    servicePassword: values.SERVICE_PASSWORD,
    serviceCode: values.SERVICE_CODE,
    storeUrl: values.STORE_URL,
    queueUrl: values.QUEUE_URL,
    nudgeToken: values.NUDGE_TOKEN,
    pageToken: values.PAGE_TOKEN,
    pageUsers: values.PAGE_USERS,
    proxyUrl,
    smtpPassword: values.SMTP_PASSWORD,
    chatUrl: values.NOTIFY_CHAT_URL,
    webhookUrl: values.NOTIFY_WEBHOOK_URL,
    heartbeatUrl: values.HEARTBEAT_URL,
    webhookKey: values.NOTIFY_WEBHOOK_KEY,
    proxies: { http: values.HTTP_PROXY, https: values.HTTPS_PROXY },
  };
}

/** The secrets with the service's credentials replaced by those of `texts`. */
export function withCredentials(secrets: Secrets, texts: Readonly<Record<string, string>>): Secrets {
  const { SERVICE_TOKEN, SERVICE_PASSWORD, SERVICE_CODE } = texts;
  return {
    ...secrets,
    serviceToken: SERVICE_TOKEN,
    servicePassword: SERVICE_PASSWORD,
    serviceCode: SERVICE_CODE,
  };
}

/** Names of variables that can be read from the file that `<NAME>_FILE` names. */
const secretName = /(PASSWORD|PASSWD|TOKEN|SECRET|KEY|CREDENTIALS?)$/;
const addressName = /(URL|URI|DSN|CONNECTION)$/;

/** Whether a variable may be read from a file. Our keys are marked for that; for other names it is a guess that decides nothing else. */
export function mayComeFromFile(name: string): boolean {
  const key = Object.entries(keys).find(([known]) => known === name)?.[1];
  return key?.secret ?? (secretName.test(name) || addressName.test(name));
}

/** All texts of the settings that must not appear in a log, an error, a page or the store. */
export function secretTexts(secrets: Secrets): string[] {
  const { serviceToken, servicePassword, serviceCode, queueUrl, proxyUrl, smtpPassword, webhookKey, proxies } = secrets;
  const { nudgeToken, pageToken, pageUsers = [] } = secrets;
  const proxied = [secrets.storeUrl, queueUrl, proxyUrl, proxies?.http, proxies?.https];
  const addresses = proxied.flatMap((address) => (address === undefined ? [] : secretsInAddress(address)));
  const whole = [secrets.chatUrl, secrets.webhookUrl, secrets.heartbeatUrl].flatMap(spellingsOf);
  const hashes = pageUsers.map(({ hash }) => hash);
  const own = [serviceToken, servicePassword, serviceCode, smtpPassword, webhookKey, nudgeToken, pageToken];
  const texts = [...own, ...hashes, ...addresses, ...whole];
  return [...new Set(texts.filter((text): text is string => text !== undefined && text !== ""))];
}

/** Shorter paths are not secret, and redacting them would damage other addresses. */
const SECRET_PATH_LENGTH = 12;

/** The spellings of an address that is secret as a whole: also without its query, and its path alone. */
function spellingsOf(address: string | undefined): string[] {
  if (address === undefined) return [];
  const { pathname, search } = new URL(address);
  const paths = [pathname, pathname + search].filter(({ length }) => length >= SECRET_PATH_LENGTH);
  return [address, address.split(/[?#]/, 1)[0]!, ...paths];
}
