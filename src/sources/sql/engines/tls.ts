import { readFileSync } from "node:fs";
import { ParkError } from "#model";
import type { TlsSettings } from "../settings.ts";

export interface TlsOptions {
  readonly rejectUnauthorized: boolean;
  readonly servername?: string;
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/**
 * Returns the TLS options of drivers; undefined means plain text.
 * @throws {ParkError} E_SOURCE_TLS when a file cannot be read.
 */
export function tlsOptions(settings: TlsSettings | undefined): TlsOptions | undefined {
  if (!settings || settings.mode === "off") return undefined;
  return {
    rejectUnauthorized: settings.mode === "verify",
    ...(settings.serverName === undefined ? {} : { servername: settings.serverName }),
    ...(settings.caFile === undefined ? {} : { ca: pem(settings.caFile, "caFile") }),
    ...(settings.certFile === undefined ? {} : { cert: pem(settings.certFile, "certFile") }),
    ...(settings.keyFile === undefined ? {} : { key: pem(settings.keyFile, "keyFile") }),
  };
}

function pem(path: string, setting: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw new ParkError("E_SOURCE_TLS", `tls.${setting} cannot be read: ${path}`, { cause });
  }
}
