import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { connect } from "node:tls";
import { HOUR_MS, isJsonObject, onAbort, parsedJson, type Clock } from "#model";
import type { Expiry } from "./conditions.ts";

/** How often ends are looked up, in milliseconds: they change rarely. */
const EVERY_MS = 12 * HOUR_MS;
const CONNECT_MS = 10_000;
const HTTPS = 443;

export interface ExpiriesDeps {
  /** Addresses whose certificate this process needs; only https:// ones are used. */
  readonly urls: readonly string[];
  /** PEM files with authorities. */
  readonly caFiles: readonly string[];
  /** The current tokens with their names for people. JSON Web Tokens may state their end. */
  readonly tokens: () => readonly { readonly name: string; readonly token: string }[];
  readonly clock: Clock;
}

/** When certificates and tokens end, if known. Omits those that cannot be determined, without a message. */
export class Expiries {
  readonly #deps: ExpiriesDeps;
  #known: { readonly at: number; readonly found: readonly Expiry[] } | undefined;

  constructor(deps: ExpiriesDeps) {
    this.#deps = deps;
  }

  async known(signal: AbortSignal): Promise<readonly Expiry[]> {
    const tokens = this.#deps.tokens().map(tokenExpiry);
    return [...(await this.#certificates(signal)), ...tokens.filter((each) => each !== undefined)];
  }

  async #certificates(signal: AbortSignal): Promise<readonly Expiry[]> {
    const { urls, caFiles, clock } = this.#deps;
    const now = clock.now();
    if (this.#known !== undefined && Math.abs(now - this.#known.at) < EVERY_MS) return this.#known.found;
    const before = this.#known?.found ?? [];
    const [servers, files] = await Promise.all([
      Promise.all([...new Set(urls.flatMap(serverOf))].map((server) => certificateOf(server, signal))),
      Promise.all(caFiles.map(authoritiesIn)),
    ]);
    const found = [...servers, ...files.flat()].filter((each) => each !== undefined);
    // An unreachable server still has the certificate that it showed before.
    const names = new Set(found.map(({ name }) => name));
    const kept = before.filter(({ name }) => !names.has(name));
    this.#known = { at: now, found: [...found, ...kept] };
    return this.#known.found;
  }
}

function serverOf(url: string): string[] {
  if (!URL.canParse(url) || !url.startsWith("https://")) return [];
  const { hostname, port } = new URL(url);
  return [`${hostname}:${port === "" ? HTTPS : port}`];
}

/** Only does the handshake and sends nothing, so an untrusted certificate may be read. */
function certificateOf(server: string, signal: AbortSignal): Promise<Expiry | undefined> {
  const at = server.lastIndexOf(":");
  const host = server.slice(0, at).replace(/^\[|\]$/g, "");
  return new Promise((resolve) => {
    const socket = connect({
      host,
      port: Number(server.slice(at + 1)),
      ...(/^[\d.]+$|:/.test(host) ? {} : { servername: host }),
      rejectUnauthorized: false,
    });
    const end = (expiry?: Expiry) => {
      unfollow();
      socket.destroy();
      resolve(expiry);
    };
    const unfollow = onAbort(signal, () => end());
    socket.setTimeout(CONNECT_MS, () => end());
    socket.on("error", () => end());
    socket.on("secureConnect", () =>
      end(expiryOf(`the certificate of ${server}`, socket.getPeerCertificate().valid_to)),
    );
  });
}

async function authoritiesIn(path: string): Promise<(Expiry | undefined)[]> {
  try {
    const pem = await readFile(path, "utf8");
    const blocks = pem.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? [];
    return blocks.map((block, at) => {
      const { validTo } = new X509Certificate(block);
      return expiryOf(`authority ${at + 1} in ${path}`, validTo);
    });
  } catch {
    return [];
  }
}

function expiryOf(name: string, validTo: string | undefined): Expiry | undefined {
  const at = Date.parse(validTo ?? "");
  return Number.isNaN(at) ? undefined : { name, at };
}

/** The `exp` of a JSON Web Token (RFC 7519); undefined for any other token. */
function tokenExpiry({ name, token }: { name: string; token: string }): Expiry | undefined {
  const [, payload, signature] = token.split(".");
  if (payload === undefined || signature === undefined) return undefined;
  const claims = parsedJson(Buffer.from(payload, "base64url").toString("utf8"));
  const end = isJsonObject(claims) ? claims["exp"] : undefined;
  return typeof end === "number" ? { name, at: end * 1000 } : undefined;
}
