const secretParameter = /[?&;](?:\w*(?:password|passwd|pwd|secret|token|key))=([^&;#]*)/gi;

/** The secrets in an address (its password, and parameters that carry one), both as written and decoded. */
export function secretsInAddress(address: string): string[] {
  if (!/^[\w+.-]+:/.test(address)) return [];
  const password = /^[\w+.-]+:\/\/[^/?#\s:]*:([^/?#\s]*)@/.exec(address)?.[1];
  const parameters = [...address.matchAll(secretParameter)].map(([, value]) => value);
  return [password, ...parameters].flatMap((text) => (text === undefined || text === "" ? [] : spellingsOf(text)));
}

function spellingsOf(text: string): string[] {
  try {
    return [...new Set([text, decodeURIComponent(text)])];
  } catch {
    return [text];
  }
}

/**
 * Splits an address into the address with its first host and all hosts, with ports if given: `redis+sentinel://a:1,b:2/name` has two.
 * Undefined if it is no address.
 */
export function splitHosts(address: string): { readonly url: URL; readonly hosts: readonly string[] } | undefined {
  const [, begin = "", list = "", end = ""] = /^([\w+.-]+:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s.exec(address) ?? [];
  const hosts = list.split(",");
  if (hosts.length > 1 && !hosts.every((host) => host !== "" && URL.canParse(`any://${host}`))) return undefined;
  const first = hosts.length > 1 ? `${begin}${hosts[0]}${end}` : address;
  return URL.canParse(first) ? { url: new URL(first), hosts } : undefined;
}

/** Whether a host name or an IP address means this machine. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[|\]$/g, "");
  return name === "localhost" || name.endsWith(".localhost") || name === "::1" || /^127(\.\d{1,3}){3}$/.test(name);
}
