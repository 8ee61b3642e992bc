/** The neutral word of the documents. */
const NEUTRAL = "svc";

/** Writes names with the tenant's brand where the documents have `svc`, and reads them back. */
export interface Brand {
  readonly name: string;
  /** `svcDocument` -> `acmeDocument`, `hasSvcDocuments` -> `hasAcmeDocuments`, `SVC_SCRIPT` -> `ACME_SCRIPT`. */
  readonly wire: (neutral: string) => string;
  readonly neutral: (wire: string) => string;
}

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

function translation(from: string, to: string): (name: string) => string {
  if (from === to) return (name) => name;
  const first = new RegExp(`^${from}(?=[A-Z])`);
  const inner = new RegExp(`${capital(from)}(?=[A-Z])`, "g");
  const upper = new RegExp(`^${from.toUpperCase()}_`);
  return (name) => name.replace(first, to).replace(inner, capital(to)).replace(upper, `${to.toUpperCase()}_`);
}

export function brandOf(name: string): Brand {
  return { name, wire: translation(NEUTRAL, name), neutral: translation(name, NEUTRAL) };
}
