import { codeOf } from "#model";
import type { DriverFault } from "./engine.ts";

const tlsCode = /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|EPROTO|ERR_OSSL)/;
const networkCode = /^(ECONN|EHOST|ENET|ENOTFOUND|EAI_|EPIPE|ETIMEDOUT|ESOCKET|PROTOCOL_CONNECTION_LOST)/;

/** Translates the errors of sockets, which all drivers of server databases pass on unchanged. */
export function networkFault(error: unknown): DriverFault | undefined {
  const code = faultCode(error);
  if (code === undefined) return undefined;
  if (tlsCode.test(code)) return { code: "E_SOURCE_TLS" };
  if (networkCode.test(code)) return { code: "E_SOURCE_UNREACHABLE" };
  return undefined;
}

/** Returns the `code` of an error, or of the first error that it collects (a host with several addresses). */
export function faultCode(error: unknown): string | undefined {
  if (error instanceof AggregateError) return faultCode(error.errors[0]);
  return codeOf(error);
}
