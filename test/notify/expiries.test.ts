import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { Expiries } from "#notify";
import { SetClock } from "../kit/clock.ts";
import { localServer, pem } from "../kit/http.ts";

const HOUR = 3_600_000;
const { signal } = new AbortController();
const endOf = (name: string) => Date.parse(new X509Certificate(readFileSync(pem(name))).validTo);

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");

function tokenThatEnds(seconds: number): string {
  return `${part({ alg: "HS256" })}.${part({ exp: seconds })}.c2ln`;
}

describe("what expires", () => {
  it("is read from the server's certificate, from authorities in files, and from tokens that state it", async () => {
    await using server = await localServer((_, response) => response.end(), { tls: true });
    const expiries = new Expiries({
      urls: [`${server.url}/api`, "http://localhost/plain", "sqlite:erp.db"],
      caFiles: [pem("authority"), "/nowhere.pem"],
      tokens: () => [
        { name: "SERVICE_TOKEN", token: tokenThatEnds(2_000_000_000) },
        { name: "other", token: "an opaque token" },
      ],
      clock: new SetClock(),
    });
    expect(await expiries.known(signal)).toEqual([
      { name: `the certificate of localhost:${server.port}`, at: endOf("server") },
      { name: `authority 1 in ${pem("authority")}`, at: endOf("authority") },
      { name: "SERVICE_TOKEN", at: 2_000_000_000_000 },
    ]);
  });

  it("is looked up twice a day, and not forgotten while the server is away", async () => {
    const clock = new SetClock();
    let handshakes = 0;
    const server = await localServer((_, response) => response.end(), { tls: true });
    server.server.on("connection", () => handshakes++);
    const expiries = new Expiries({ urls: [server.url], caFiles: [], tokens: () => [], clock });
    const known = await expiries.known(signal);
    expect(known).toHaveLength(1);
    await expiries.known(signal);
    expect(handshakes).toBe(1);
    clock.advance(12 * HOUR);
    await expiries.known(signal);
    expect(handshakes).toBe(2);
    await server[Symbol.asyncDispose]();
    clock.advance(12 * HOUR);
    expect(await expiries.known(signal)).toEqual(known);
  });
});
