import { readFileSync } from "node:fs";
import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import * as tls from "node:tls";
import { HttpProxyAgent, HttpsProxyAgent } from "hpagent";
import { messageOf, StopError } from "#model";
import type { HttpSettings } from "./client.ts";

/** Shorter than what servers and balancers commonly allow, so that a request rarely meets a connection that is about to close. */
const IDLE_CONNECTION_MS = 15_000;

export interface Agents {
  readonly http: HttpAgent;
  readonly https: HttpsAgent;
}

/**
 * Opens connections that are kept alive, direct or through the proxy. They also trust the private authorities.
 * @throws {StopError} E_HTTP_CA_FILE when the file cannot be read or holds no certificate.
 */
export function openAgents(settings: HttpSettings, viaProxy: boolean): Agents {
  const pool = {
    keepAlive: true,
    maxSockets: settings.connections,
    scheduling: "lifo",
    timeout: IDLE_CONNECTION_MS,
  } as const;
  const trust = settings.caFile === undefined ? {} : { secureContext: trusting(settings.caFile) };
  if (!viaProxy || settings.proxy === undefined)
    return { http: new HttpAgent(pool), https: new HttpsAgent({ ...pool, ...trust }) };
  const proxied = { ...pool, ...trust, proxy: settings.proxy.url };
  return { http: new HttpProxyAgent(proxied), https: new HttpsProxyAgent(proxied) };
}

/** Built once, because a context per connection would parse about 150 certificates each time. */
function trusting(caFile: string): tls.SecureContext {
  try {
    const pem = readFileSync(caFile, "utf8");
    if (!pem.includes("-----BEGIN CERTIFICATE-----")) throw new Error("it holds no certificate in PEM form");
    return tls.createSecureContext({ ca: [...systemAuthorities(), pem] });
  } catch (cause) {
    const why = messageOf(cause);
    throw new StopError("E_HTTP_CA_FILE", `the authorities in ${caFile} cannot be used: ${why}`, { cause });
  }
}

/** Returns the authorities to trust. Newer Node versions also know those of NODE_EXTRA_CA_CERTS and of the operating system. */
function systemAuthorities(): readonly string[] {
  const known: ((type: "default") => string[]) | undefined = Reflect.get(tls, "getCACertificates");
  return known?.("default") ?? tls.rootCertificates;
}
