import { keys, type Values } from "./schema.ts";

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

const secretName = /(PASSWORD|PASSWD|PASS|TOKEN|SECRET|KEY|CREDENTIALS?|CODE)$/;
const addressName = /(URL|URI|DSN|CONNECTION)$/;

/** Does a variable's name say that its value is, or carries, a secret? Ours are marked, others are guessed. */
export function looksSecret(name: string): boolean {
  const key = Object.entries(keys).find(([known]) => known === name)?.[1];
  return key?.secret ?? (secretName.test(name) || addressName.test(name));
}

/**
 * Every text that must not appear in a log, an error or a page: our secrets, the values of variables whose names say so,
 * and passwords inside addresses, each also as an address spells it.
 */
export function secretTexts(secrets: Secrets, environment: Readonly<Record<string, string>>): string[] {
  const texts = new Set<string>();
  const values = [secrets.serviceToken, secrets.servicePassword, secrets.serviceCode];
  for (const [name, value] of Object.entries(environment)) if (secretName.test(name)) values.push(value);
  const addresses = [secrets.queueUrl, secrets.proxyUrl, ...Object.values(environment)];
  for (const value of addresses) values.push(passwordOf(value));
  for (const value of values) {
    if (value === undefined || value === "") continue;
    texts.add(value);
    texts.add(encodeURIComponent(value));
  }
  return [...texts];
}

function passwordOf(address: string | undefined): string | undefined {
  const raw = address === undefined ? undefined : /^[\w+.-]+:\/\/[^/?#\s]*?:([^/?#\s]*)@/.exec(address)?.[1];
  if (raw === undefined) return undefined;
  try {
    return decodeURIComponent(raw);
  } catch {
    return raw;
  }
}
