import { describe, expect, it } from "vitest";
import { Redaction } from "#telemetry";

const secret = "pass/wörd+>?42";
const users = ["", "a", "ab", "abc", "svc-user", "müller"];
const spellings: readonly (readonly [string, (base64: string) => string])[] = [
  ["base64", (base64) => base64],
  ["base64 without padding", (base64) => base64.replace(/=+$/, "")],
  ["base64url", (base64) => base64.replaceAll("+", "-").replaceAll("/", "_")],
  ["base64url without padding", (base64) => base64.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")],
  ["base64 in an address", encodeURIComponent],
  ["base64 in JSON with escaped slashes", (base64) => base64.replaceAll("/", "\\/")],
];

describe("secrets in base64", () => {
  it.each(spellings)("redacts a password beside any user, and what may follow it: %s", (_, spell) => {
    const { redact } = new Redaction([secret]);
    for (const user of users)
      for (const after of ["", "x", "xy", "\n", ":x"])
        for (const encoding of ["utf8", "latin1"] as const) {
          const word = spell(Buffer.from(`${user}:${secret}${after}`, encoding).toString("base64"));
          expect(redact(`sent "${word}", refused`)).toBe('sent "[redacted]", refused');
          expect(redact(word)).toBe("[redacted]");
        }
  });

  it("redacts tokens of logins and secrets that are added later", () => {
    const redaction = new Redaction();
    redaction.ofLogin()("token-of-a-login");
    redaction.hide("added later");
    for (const known of ["token-of-a-login", "added later"])
      expect(redaction.redact(btoa(`x:${known}`))).toBe("[redacted]");
  });

  it("redacts any login in a Basic header, known or not", () => {
    const { redact } = new Redaction();
    for (const login of ["a:b", "user:1", "user:", ":token", "user@example.com:a:b c"])
      expect(redact(`authorization: Basic ${btoa(login)};`)).toBe("authorization: Basic [redacted];");
  });

  it("keeps other texts as they are", () => {
    const { redact } = new Redaction([secret, "hunter2"]);
    const texts = [
      "Basic settings of Kundenverwaltung",
      "basic",
      "data/2026/11/27",
      btoa("user:another"),
      "a".repeat(100_000),
    ];
    for (const text of texts) expect(redact(text)).toBe(text);
  });
});
