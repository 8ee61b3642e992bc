import { keys, type Values } from "./schema/schema.ts";

/** What must never be seen: every value here is also given to the redaction of telemetry. */
export interface Secrets {
  readonly serviceToken: string | undefined;
  readonly servicePassword: string | undefined;
  readonly serviceCode: string | undefined;
  /** QUEUE_URL may carry a password. */
  readonly queueUrl: string | undefined;
  /** The proxy's address with its credentials; absent where no proxy is set. */
  readonly proxyUrl?: string | undefined;
}

export function secretsOf(values: Values, proxyUrl: string | undefined): Secrets {
  return {
    serviceToken: values.SERVICE_TOKEN,
    servicePassword: values.SERVICE_PASSWORD,
    serviceCode: values.SERVICE_CODE,
    queueUrl: values.QUEUE_URL,
    proxyUrl,
  };
}

const secretName = /(PASSWORD|PASSWD|TOKEN|SECRET|KEY|CREDENTIALS?)$/;
const addressName = /(URL|URI|DSN|CONNECTION)$/;

/** Shorter values of variables that are only guessed to be secret are ordinary words: hiding them would blank the log. */
const guessedSecretMinLength = 6;

/** Does a variable's name say that its value is, or carries, a secret? Ours are marked, others are guessed. */
export function looksSecret(name: string): boolean {
  const key = Object.entries(keys).find(([known]) => known === name)?.[1];
  return key?.secret ?? (secretName.test(name) || addressName.test(name));
}

/**
 * Every text that must not appear in a log, an error or a page: our secrets, the values of variables whose names say so,
 * and the passwords inside addresses.
 */
export function secretTexts(secrets: Secrets, environment: Readonly<Record<string, string>>): string[] {
  const ours = [secrets.serviceToken, secrets.servicePassword, secrets.serviceCode];
  const guessed = Object.entries(environment)
    .filter(([name, value]) => secretName.test(name) && value.length >= guessedSecretMinLength)
    .map(([, value]) => value);
  const addresses = [secrets.queueUrl, secrets.proxyUrl, ...Object.values(environment)];
  const texts = [...ours, ...guessed, ...addresses.flatMap(passwordsOf)];
  return [...new Set(texts.filter((text): text is string => text !== undefined && text !== ""))];
}

/** The password of an address, as it stands there and as it is meant. */
function passwordsOf(address: string | undefined): string[] {
  const raw = address === undefined ? undefined : /^[\w+.-]+:\/\/[^/?#\s:]*:([^/?#\s]*)@/.exec(address)?.[1];
  if (raw === undefined) return [];
  try {
    return [raw, decodeURIComponent(raw)];
  } catch {
    return [raw];
  }
}
