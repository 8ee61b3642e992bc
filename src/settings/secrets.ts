import { secretsInAddress } from "#model";
import { keys, type Values } from "./schema/schema.ts";

/** What must never be seen: every value here is also given to the redaction of telemetry. */
export interface Secrets {
  readonly serviceToken: string | undefined;
  readonly servicePassword: string | undefined;
  readonly serviceCode: string | undefined;
  /** QUEUE_URL may carry a password. */
  readonly queueUrl: string | undefined;
  /** It opens the page. */
  readonly pageToken?: string | undefined;
  /** Who may log in to the page, with the hashes of their passwords. */
  readonly pageUsers?:
    | readonly { readonly name: string; readonly role: "read" | "act"; readonly hash: string }[]
    | undefined;
  /** The proxy's address with its credentials; absent where no proxy is set. */
  readonly proxyUrl?: string | undefined;
}

export function secretsOf(values: Values, proxyUrl: string | undefined): Secrets {
  return {
    serviceToken: values.SERVICE_TOKEN,
    servicePassword: values.SERVICE_PASSWORD,
    serviceCode: values.SERVICE_CODE,
    queueUrl: values.QUEUE_URL,
    pageToken: values.PAGE_TOKEN,
    pageUsers: values.PAGE_USERS,
    proxyUrl,
  };
}

/** Names of variables that are read from a file where `<NAME>_FILE` names one. */
const secretName = /(PASSWORD|PASSWD|TOKEN|SECRET|KEY|CREDENTIALS?)$/;
const addressName = /(URL|URI|DSN|CONNECTION)$/;

/** Does a variable's name say that it may come from a file? Ours are marked; of others it is guessed, and decides nothing else. */
export function mayComeFromFile(name: string): boolean {
  const key = Object.entries(keys).find(([known]) => known === name)?.[1];
  return key?.secret ?? (secretName.test(name) || addressName.test(name));
}

/** Every text of the settings that must not appear in a log, an error, a page or the store. */
export function secretTexts(secrets: Secrets): string[] {
  const { serviceToken, servicePassword, serviceCode, queueUrl, proxyUrl, pageToken, pageUsers = [] } = secrets;
  const addresses = [queueUrl, proxyUrl].flatMap((address) => (address === undefined ? [] : secretsInAddress(address)));
  const texts = [
    serviceToken,
    servicePassword,
    serviceCode,
    pageToken,
    ...pageUsers.map(({ hash }) => hash),
    ...addresses,
  ];
  return [...new Set(texts.filter((text): text is string => text !== undefined && text !== ""))];
}
