import { z } from "zod";
import { optional, secretKey, withDefault } from "./key.ts";
import { longToken, membersList, oneOf, anyText } from "./values.ts";

/**
 * Lines printed by `svcsync page-password`, one per name. With two lines for a name, only one would ever be checked, and an old password could
 * still open the page.
 */
const users = membersList.pipe(
  z
    .array(
      z
        .string()
        .regex(
          /^[\w.@+-]+:(read|act):scrypt(\.\d{1,3}){3}(\.[\w-]{20,}){2}$/,
          'lines that "svcsync page-password" prints, separated by commas',
        )
        .transform((line) => {
          const [name = "", role, hash = ""] = line.split(":");
          return { name, role: role === "act" ? ("act" as const) : ("read" as const), hash };
        }),
    )
    .refine((lines) => new Set(lines.map(({ name }) => name)).size === lines.length, "one line for each name"),
);

const webWords =
  "an address with {id} and, if needed, {resource}, that begins with https:// or http:// and a host, without a password";

const ipAddresses = membersList.pipe(
  z.array(z.union([z.ipv4(), z.ipv6()], "IP addresses, separated by commas").transform(asSocketsSpellIt)),
);

/** The server compares it with what its sockets say. */
function asSocketsSpellIt(address: string): string {
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1];
  return mapped ?? (address.includes(":") ? new URL(`http://[${address}]`).hostname.slice(1, -1) : address);
}

/** A link is followed by a browser: any other scheme, such as javascript:, could run a script on the page. */
const pageAddress = anyText
  // The host is fixed text: no record leads to another one.
  .refine((address) => /^https?:\/\/[^/{}]+\//i.test(address) && isWebAddress(address), webWords)
  .refine((address) => address.includes("{id}") && !/\{(?!(resource|id)\})/.test(address), webWords);

function isWebAddress(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { username, password } = new URL(address);
  return username + password === "";
}

/** Who may see and use the status page. */
export const pageKeys = {
  PAGE_TOKEN: secretKey(
    longToken,
    "made with: openssl rand -hex 24",
    "A token for the page and its JSON API (Authorization: Bearer), including all actions. Without PAGE_TOKEN, PAGE_USERS and PAGE_PROXY_HEADER the page is served on a loopback HEALTH_HOST only, to everybody on this machine.",
  ),
  PAGE_USERS: secretKey(
    users,
    "anna:act:scrypt.15.8.3.q1w2e3r4t5z6u7i8o9p0aQ.y1x2c3v4b5n6m7q8w9e0r1t2z3u4i5o6p7a8s9d0f1g",
    'Who may log in to the page, one line of "svcsync page-password" each, separated by commas. The role read may only look, act may also change things.',
  ),
  PAGE_PROXY_HEADER: optional(
    anyText.regex(/^[A-Za-z][A-Za-z0-9-]*$/, "the name of a header"),
    "X-Forwarded-User",
    "The header with the user name, set by a proxy that logs people in. Needs PAGE_PROXY_ADDRESSES; svcsync ignores the header from other addresses.",
  ),
  PAGE_PROXY_ADDRESSES: optional(
    ipAddresses,
    "10.0.0.5",
    "IP addresses of that proxy, comma-separated, as svcsync sees them.",
  ),
  PAGE_PROXY_ROLE: withDefault(oneOf(["read", "act"]), "read", "The role of users whom the proxy names."),
  SERVICE_PAGE_URL: optional(
    pageAddress,
    "https://app.example.com/{resource}/{id}",
    "The address of a record's page in the service, to which the page links. {resource} is the resource of the sync file, {id} the id in the service.",
  ),
  PAGE_PUBLIC: withDefault(
    oneOf(["none", "read"]),
    "none",
    "read lets everybody who reaches the port read all records without a login.",
  ),
  HEALTH_PUBLIC: withDefault(
    oneOf(["all", "alive"]),
    "all",
    "Probes that are answered without a login: all (/healthz, /readyz, /metrics), or alive (/healthz alone).",
  ),
};
