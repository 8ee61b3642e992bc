import { z } from "zod";
import { optional, secretKey, withDefault } from "./key.ts";
import { address, list, seconds, anyText, token, wholeNumber, yesOrNo } from "./values.ts";

/** The service's maximum is 31 days, and a negative lifetime never ends (from facts of the live service). */
const lifetimeMaxMinutes = 44_640;

function hasNoCredentials(address: string): boolean {
  const { username, password } = new URL(address);
  return username === "" && password === "";
}

/** Whether the address has no path of the API: svcsync adds the paths of the reference itself. */
function isBase(address: string): boolean {
  return !/[?#]/.test(address) && !/\/restApi(\/|$)/i.test(new URL(address).pathname);
}

const base = address(["https", "http"])
  .refine(hasNoCredentials, "an address without user and password: they have keys of their own")
  .refine(isBase, "the base address alone, without /restApi, ? and #")
  .transform((value) => value.replace(/(?<!\/)\/+$/, ""));

/** How to reach the service, and how to log in. */
export const serviceKeys = {
  SERVICE_URL: optional(base, "https://example.com", "Base address of the tenant, without /restApi. Required."),
  SERVICE_FORMER_URL: optional(
    base,
    "https://old.example.com",
    "The former address of the tenant, if SERVICE_URL is a new one. Needed for one start only.",
  ),
  SERVICE_TOKEN: secretKey(
    token,
    "",
    "A token created in the service's web interface. Either this, or user name and password.",
  ),
  SERVICE_USERNAME: optional(anyText, "", "The user to log in as; svcsync may do what this user may do."),
  SERVICE_PASSWORD: secretKey(anyText, "", "The password of SERVICE_USERNAME."),
  SERVICE_CODE: secretKey(anyText, "", "The second factor of SERVICE_USERNAME, where the account has one."),
  SERVICE_TOKEN_NAME: optional(
    anyText,
    "svcsync",
    "The name of the token that a login creates. Give each svcsync on one account its own, or they log each other out.",
  ),
  SERVICE_TOKEN_LIFETIME_MINUTES: withDefault(
    z.union([z.literal("-1").transform(() => -1), wholeNumber(1, lifetimeMaxMinutes)]),
    "60",
    `How long a token from a login lasts, in minutes: 1 to ${lifetimeMaxMinutes} (31 days), or -1 for no end.`,
  ),
  SERVICE_TOKEN_REFRESH: withDefault(yesOrNo, "true", "Whether each request extends the token by its lifetime."),
  SERVICE_CONCURRENCY: withDefault(
    wholeNumber(1, 64),
    "4",
    "How many requests may run at once, 1 to 64. Below this ceiling svcsync adapts to what the service can handle.",
  ),
  SERVICE_CONNECT_TIMEOUT_SECONDS: withDefault(seconds(0.1, 300), "10", "Longest wait for a connection, in seconds."),
  SERVICE_ANSWER_TIMEOUT_SECONDS: withDefault(
    seconds(0.1, 600),
    "30",
    "Longest wait for the first byte of an answer, in seconds.",
  ),
  SERVICE_CALL_TIMEOUT_SECONDS: withDefault(
    seconds(0.1, 900),
    "60",
    "Longest whole request, from the connection to the last byte, in seconds.",
  ),
  SERVICE_RESPONSE_LIMIT_BYTES: withDefault(
    wholeNumber(1024, 1_073_741_824),
    "33554432",
    "Largest answer that is read, in bytes.",
  ),
  SERVICE_REFERENCE_MAX_AGE_SECONDS: withDefault(
    seconds(0, 604_800),
    "900",
    "How old remembered lookup values (statuses, priorities, tags) may be, in seconds.",
  ),
  SERVICE_MATCH_MAX_AGE_SECONDS: withDefault(
    seconds(0, 31_536_000),
    "86400",
    "How old the index of the service's records may be before it is read again to look for a record, in seconds.",
  ),
  SERVICE_CA_FILE: optional(
    anyText,
    "/etc/ssl/our-authority.pem",
    "A PEM file with certificate authorities to trust in addition to the system's.",
  ),
};

/** The usual proxy keys, which are also read in lower case. */
export const proxyKeys = {
  HTTPS_PROXY: secretKey(address(["http", "https"]), "http://proxy.example:3128", "Proxy for https addresses."),
  HTTP_PROXY: secretKey(address(["http", "https"]), "http://proxy.example:3128", "Proxy for http addresses."),
  NO_PROXY: optional(list, "localhost,.internal.example", "Hosts that are reached without the proxy, comma-separated."),
};
