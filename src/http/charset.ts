/** The encoding that an answer declares: of its Content-Type, else of its XML declaration, else UTF-8 as JSON has to be. */
export function declaredCharset(contentType: string | undefined, bytes: Uint8Array): string {
  const declared = /;\s*charset\s*=\s*"?([\w.:-]+)/i.exec(contentType ?? "")?.[1];
  if (declared !== undefined) return declared;
  const head = latin1(bytes.subarray(0, XML_DECLARATION_BYTES));
  return /^<\?xml[^>]*\bencoding\s*=\s*["']([\w.:-]+)/i.exec(head)?.[1] ?? "utf-8";
}

/**
 * Decodes without replacing anything; a byte order mark is left out.
 * @throws {TypeError} where the bytes are not text in that encoding, {@link RangeError} for an unknown encoding.
 */
export function decodeStrictly(bytes: Uint8Array, charset: string): string {
  return new TextDecoder(charset, { fatal: true }).decode(bytes);
}

const XML_DECLARATION_BYTES = 200;

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("latin1");
}
