import type { ReturnId } from "#model";

/** A return's files are named after it, in characters that every file system takes. */
const SEPARATOR = "~";
const NAMED = /^[^~]*~([^~]+)~([^~]+)~(\d+)(?:-([0-9a-f]{64}))?(?:\.|$)/;

/** `prod~reports~4711~1-<hash>` */
export function fileBase(installation: string, id: ReturnId, hash: string): string {
  return `${encoded(installation)}${SEPARATOR}${subjectBase(id)}-${hash}`;
}

/** `reports~4711~1`: the same for all installations. */
export function subjectBase({ stream, subject, version }: ReturnId): string {
  return [encoded(stream), encoded(subject), String(version)].join(SEPARATOR);
}

/** What a file name says that begins with a return's, with or without the hash; undefined for all others. */
export function parseBase(name: string): (ReturnId & { readonly hash: string | undefined }) | undefined {
  const [, stream, subject, version, hash] = NAMED.exec(name) ?? [];
  if (stream === undefined || subject === undefined) return undefined;
  return { stream: decoded(stream), subject: decoded(subject), version: Number(version), hash };
}

function encoded(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*~]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
