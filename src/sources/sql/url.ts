/** The parameters after `?` that are allowed, by scheme. All others are refused, because drivers let them overrule `tls`. */
const known: Readonly<Record<string, readonly string[]>> = {
  postgres: ["host", "port", "options"],
  postgresql: ["host", "port", "options"],
  mysql: [],
  mariadb: [],
  mssql: ["instance", "domain"],
  sqlserver: ["instance", "domain"],
};
const ENCRYPTION = /ssl|tls|encrypt|certificate/i;

/** Returns what is wrong with a database's address, without showing its password; undefined if nothing is. */
export function urlProblem(text: string): string | undefined {
  const allowed = known[text.slice(0, text.indexOf(":")).toLowerCase()];
  if (allowed === undefined) return undefined;
  const unencoded = unencodedPassword(text);
  if (unencoded !== undefined) return unencoded;
  if (!URL.canParse(text)) return "this is no address, expected one like postgres://user:password@host:5432/database";
  const names = [...new URL(text).searchParams.keys()].filter((name) => !allowed.includes(name));
  const encryption = names.find((name) => ENCRYPTION.test(name));
  if (encryption !== undefined)
    return `take ${encryption} out of the address: encryption is set under \`tls\` (mode: verify, trust or off)`;
  const [unknown] = names;
  if (unknown === undefined) return undefined;
  const wanted = allowed.length === 0 ? "this kind of database takes none" : `known are ${allowed.join(", ")}`;
  return `take ${unknown} out of the address: it is no parameter that is known here (${wanted})`;
}

/** Characters that end or divide the parts of an address. A bare percent sign begins an encoded one. */
const DIVIDERS = /[/?#@:[\]\s]|%(?![\da-f]{2})/gi;

/** Returns a sentence with the expected form if the password has characters that must be encoded. The last @ before the host ends it. */
function unencodedPassword(text: string): string | undefined {
  const [, scheme, user = "", password = "", rest] = /^(\w+:\/\/)([^:@/?#]*):(.*)@([^@]*)$/s.exec(text) ?? [];
  const signs = [...new Set(password.match(DIVIDERS))];
  if (scheme === undefined || signs.length === 0) return undefined;
  const encoded = signs.map((sign) => `${encodeURIComponent(sign)} for ${sign}`).join(", ");
  return `the password must be percent-encoded (${encoded}): ${scheme}${user}:<encoded password>@${rest}`;
}

/** Returns the host of the address; undefined if it is this machine. */
export function otherMachine(text: string, isLoopback: (host: string) => boolean): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const host = url?.searchParams.get("host") ?? url?.hostname ?? "";
  return host === "" || host.startsWith("/") || isLoopback(host) ? undefined : host;
}
