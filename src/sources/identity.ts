import { createHash } from "node:crypto";

/** Which data a stream is read from. Its texts are shown to people and stored, so they hold no secret. */
export interface SourceIdentity {
  /** Where it is: a host and a path. Another address may lead to the same data, if {@link own} says so. */
  readonly address: string;
  /** What the data says about itself wherever it is, such as the identifiers of a database. */
  readonly own?: string | undefined;
  /** `own` names the server, which may be another one at the same address after a failover. */
  readonly isOwnOfServer?: boolean | undefined;
  /** The part of it: a schema, a company, a tenant. */
  readonly part: string;
}

/** Whether both lead to the same data, as far as that can be known. */
export function isSameSource(known: SourceIdentity, now: SourceIdentity): boolean {
  if (known.part !== now.part) return false;
  if (known.own === undefined || now.own === undefined) return known.address === now.address;
  return known.own === now.own || (now.isOwnOfServer === true && known.address === now.address);
}

/** The host and path of an address, without credentials. */
export function placeOf(address: string): string {
  if (!URL.canParse(address)) return address;
  const { host, pathname, searchParams } = new URL(address);
  const beside = ["host", "port", "instance"].flatMap((name) => searchParams.get(name) ?? []);
  return [host, ...beside].filter((text) => text !== "").join(" ") + pathname.replace(/\/$/, "");
}

const NAMES =
  "compan(?:y|ies)|tenants?|mandants?|mandanten|clients?|organi[sz]ations?|orgs?|firm(?:a|en)?|subsidiar(?:y|ies)|databases?|db|business_?units?|(?:legal_?)?entit(?:y|ies)";
const ENDINGS = "(?:[-_ ]?(?:id|no|nr|number|code|key|name))?";
/** A member, header or parameter that names a company. */
const NAME = new RegExp(`^(?:x[-_])?(?:[a-z0-9]+[-_])?(?:${NAMES})${ENDINGS}$`, "i");
/** A company that a path or a condition names, such as `companies(7)` and `mandant = 7`. */
const NAMED = new RegExp(`\\b(?:${NAMES})${ENDINGS}(?:\\s*(?:[/(=]|\\seq\\s)\\s*)'?([^/)'"&\\s]+)`, "gi");
const OPERATORS = new Set(["=", "==", "eq", "in", "child_of"]);

/** Finds what names a company, a tenant or a client in a stream's `read`: members, conditions and parts of paths. */
export function companiesIn(value: unknown): string[] {
  if (typeof value === "string") return [...value.matchAll(NAMED)].map(([text]) => text.replaceAll(/\s+/g, " "));
  if (Array.isArray(value)) {
    const [field, operator, wanted] = value;
    const isCondition = value.length === 3 && OPERATORS.has(String(operator)) && NAME.test(String(field));
    return isCondition ? [`${String(field)}=${JSON.stringify(wanted)}`] : value.flatMap(companiesIn);
  }
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    NAME.test(name) && typeof member !== "object" && member !== undefined
      ? [`${name}=${JSON.stringify(member)}`]
      : companiesIn(member),
  );
}

/** The headers that name a company. Their values may be secrets, so they are shown as digests. */
export function companyHeaders(headers: Readonly<Record<string, string>> = {}): string[] {
  return Object.entries(headers)
    .filter(([name]) => NAME.test(name))
    .map(([name, value]) => `${name.toLowerCase()}#${createHash("sha256").update(value).digest("hex").slice(0, 8)}`);
}

/** The identity of a web API: nothing but its address tells it from another one. */
export function webIdentity(
  settings: { readonly url: string; readonly headers?: Readonly<Record<string, string>> },
  read: unknown,
): SourceIdentity {
  const parts = [...companyHeaders(settings.headers), ...companiesIn(read)];
  return { address: placeOf(settings.url), part: parts.toSorted().join(", ") };
}
