import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ParkError, RetryError, WaitError } from "#model";
import { openLogger, Redaction, type LogOptions } from "#telemetry";

function logTo(lines: string[], options: Partial<LogOptions> = {}) {
  const destination = { write: (line: string) => lines.push(line) };
  return openLogger({ level: "debug", format: "json", secrets: [], destination, ...options });
}

function parsed(line: string): Record<string, unknown> {
  return z.record(z.string(), z.unknown()).parse(JSON.parse(line));
}

/** The one line that `say` writes, as JSON. */
function lineOf(
  say: (logger: ReturnType<typeof openLogger>) => void,
  options?: Partial<LogOptions>,
): Record<string, unknown> {
  const lines: string[] = [];
  say(logTo(lines, options));
  expect(lines).toHaveLength(1);
  return parsed(lines[0]!);
}

describe("the log", () => {
  it("writes one JSON line with time, level, fields and message", () => {
    const line = lineOf((log) =>
      log.child({ room: "pipeline" }).info({ stream: "customers", count: 3 }, "stored a batch"),
    );

    expect(line).toEqual({
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      level: "info",
      room: "pipeline",
      stream: "customers",
      count: 3,
      msg: "stored a batch",
    });
  });

  it("bounds a line, whatever an ERP calls its keys, and cuts no secret in two", () => {
    const key = `${"k".repeat(1_990)}s3cr3t-of-ours${"k".repeat(100_000)}`;
    const fields = { err: new ParkError("E_INTERNAL", key), keys: Array.from({ length: 1_000 }, () => "k") };
    const line = lineOf((log) => log.warn(fields, "stopped"), { secrets: ["s3cr3t-of-ours"] });
    expect(line["err"]).toMatchObject({ message: expect.stringMatching(/^k{1990}.{10}… \[100000 more characters\]$/) });
    expect(line["keys"]).toHaveLength(51);
    expect(JSON.stringify(line)).not.toContain("s3cr3t");
  });

  it("leaves out what is below its level", () => {
    const lines: string[] = [];
    const log = logTo(lines, { level: "warn" });
    log.debug({}, "a");
    log.info({}, "b");
    log.warn({}, "c");
    log.error({}, "d");

    expect(lines.map((line) => parsed(line)["msg"])).toEqual(["c", "d"]);
  });

  it("writes errors with code, family, message, details and causes", () => {
    const reset = Object.assign(new Error("socket hang up"), { code: "ECONNRESET" });
    const err = new RetryError("E_SERVICE_UNREACHABLE", "no answer", { cause: reset, details: { attempt: 2 } });

    expect(lineOf((log) => log.warn({ err }, "failed"))["err"]).toEqual({
      type: "RetryError",
      message: "no answer",
      code: "E_SERVICE_UNREACHABLE",
      family: "retry",
      details: { attempt: 2 },
      cause: { type: "Error", message: "socket hang up", code: "ECONNRESET" },
    });
  });

  it("writes the stack of an error that nobody foresaw, and the members of one that has several", () => {
    const several = new AggregateError([new WaitError("E_SERVICE_BUSY", "a"), new TypeError("b")], "several");

    expect(lineOf((log) => log.error({ err: several }, "failed"))["err"]).toMatchObject({
      stack: expect.stringContaining("several"),
      errors: [{ code: "E_SERVICE_BUSY" }, { type: "TypeError", stack: expect.stringContaining("logger.test.ts") }],
    });
  });

  it("ends a circle of causes", () => {
    const err = new Error("round");
    err.cause = err;

    expect(JSON.stringify(lineOf((log) => log.error({ err }, "failed")))).toContain("[too deep]");
  });

  it("leaves out what libraries hang on their errors", () => {
    const err = Object.assign(new Error("x"), { options: { headers: { "x-mine": "1" } } });

    expect(JSON.stringify(lineOf((log) => log.error({ err }, "failed")))).not.toContain("x-mine");
  });

  it("is readable on a terminal", () => {
    const lines: string[] = [];
    logTo(lines, { format: "pretty", secrets: ["s3cret"] }).info({ stream: "customers" }, "polled with s3cret");

    expect(lines.join("")).toMatch(
      /^\[\d\d:\d\d:\d\d\.\d{3}] INFO: polled with \[redacted] \{"stream":"customers"\}\n$/,
    );
  });
});

describe("a log on a terminal", () => {
  const evil = "\u001b[2J\u0007\u009b\u202e";

  it.each(["json", "pretty"] as const)("steers it in no way: %s", (format) => {
    const lines: string[] = [];
    logTo(lines, { format }).error({ key: evil, [evil]: [evil], err: new ParkError("E_INTERNAL", evil) }, "refused");

    expect(lines.join("")).toContain("\\u202e");
    // oxlint-disable-next-line no-control-regex -- they are what must not be there
    expect(lines.join("")).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  });

  it.each(["json", "pretty"] as const)("is one line per message, whatever line breaks a value has: %s", (format) => {
    const lines: string[] = [];
    const value = "a\nb\rc\r\nd\u2028e";
    logTo(lines, { format }).error({ key: value, err: new ParkError("E_INTERNAL", value) }, "refused");

    expect(lines.join("")).not.toMatch(/[\n\r\u2028](?=[bcde])/);
  });

  it("keeps the meaning of JSON", () => {
    expect(lineOf((log) => log.info({ key: evil }, "seen"))["key"]).toBe(evil);
  });
});

describe("no secret in a log", () => {
  it("nor one that a login brought while the process ran", () => {
    const redaction = new Redaction(["first"]);
    const lines: string[] = [];
    const log = logTo(lines, { secrets: redaction });
    redaction.hide("l8er");
    redaction.ofLogin()("t0ken");
    log.info({}, "got l8er, first and t0ken");

    expect(parsed(lines[0]!)["msg"]).toBe("got [redacted], [redacted] and [redacted]");
  });

  it("nor the token of a login that lasts, while another login is renewed for months", () => {
    const redaction = new Redaction(["first"]);
    const [lasting, renewed] = [redaction.ofLogin(), redaction.ofLogin()];
    lasting("lasting");
    for (let hour = 1; hour <= 1_000; hour++) renewed(`token of hour ${hour}.`);

    expect(redaction.redact("first, lasting, token of hour 1000.")).toBe("[redacted], [redacted], [redacted]");
    // What is looked for in every line stays the same, however long it runs.
    expect(redaction.redact("token of hour 1.")).toBe("token of hour 1.");
  });

  it("nor what one login still uses, however often it is renewed in part or all at once", () => {
    const redaction = new Redaction();
    const [inPart, atOnce] = [redaction.ofLogin(), redaction.ofLogin()];
    for (let hour = 1; hour <= 100; hour++) inPart("lasting", `token of hour ${hour}.`);
    const many = Array.from({ length: 30 }, (_, at) => `one of many ${at}.`);
    atOnce(...many);

    expect(redaction.redact("lasting, token of hour 100.")).toBe("[redacted], [redacted]");
    expect(many.map(redaction.redact)).toEqual(many.map(() => "[redacted]"));
  });

  const secrets = ["t0ken/of+ours", 'qu"ote\\d', "123456"];

  it("wherever it stands in a line", () => {
    const cause = new Error(`caused by t0ken/of+ours`);
    const err = new ParkError("E_INTERNAL", 'refused qu"ote\\d', {
      cause,
      details: { "t0ken/of+ours": ['a qu"ote\\d b'] },
    });
    const lines: string[] = [];
    const log = logTo(lines, { secrets }).child({ url: "https://h/?t=t0ken%2Fof%2Bours" });
    log.error(
      { err, body: JSON.stringify({ x: 'qu"ote\\d' }), code: 123456, nested: { deep: ["t0ken/of+ours"] } },
      "with 123456",
    );

    expect(lines[0]).not.toMatch(/t0ken|qu\\*"ote|123456/);
    expect(lines[0]!.match(/\[redacted]/g)!.length).toBeGreaterThanOrEqual(8);
  });

  it("nor what looks like one", () => {
    const line = lineOf((log) =>
      log.info(
        {
          headers: { Authorization: "Basic abc", cookie: "sid=1", "Set-Cookie": ["sid=1"], accept: "json" },
          password: "x",
          access_token: "y",
          apiKey: "z",
          said: "Authorization: Bearer abc.def-g",
          at: "redis://user:pw@host:1/0",
        },
        "asked",
      ),
    );

    expect(line).toMatchObject({
      headers: { Authorization: "[redacted]", cookie: "[redacted]", "Set-Cookie": "[redacted]", accept: "json" },
      password: "[redacted]",
      access_token: "[redacted]",
      apiKey: "[redacted]",
      said: "Authorization: Bearer [redacted]",
      at: "redis://[redacted]@host:1/0",
    });
  });

  it("whatever the secret and wherever it is put", () => {
    const place = fc.constantFrom("message", "field", "name", "nested", "error", "cause", "child");
    fc.assert(
      fc.property(fc.string({ minLength: 6, maxLength: 20 }), place, (random, where) => {
        const secret = `§${random}§`;
        const text = `before ${secret} after`;
        const lines: string[] = [];
        const log = logTo(lines, { secrets: [secret] });
        if (where === "message") log.info({}, text);
        else if (where === "field") log.info({ a: text }, "m");
        else if (where === "name") log.info({ [text]: 1 }, "m");
        else if (where === "nested") log.info({ a: [{ b: [text] }] }, "m");
        else if (where === "error") log.info({ err: new Error(text) }, "m");
        else if (where === "cause")
          log.info({ err: new ParkError("E_INTERNAL", "m", { cause: new Error(text) }) }, "m");
        else log.child({ a: text }).info({}, "m");
        expect(lines[0]).not.toContain(JSON.stringify(secret).slice(1, -1));
        expect(lines[0]).toContain("[redacted]");
      }),
    );
  });
});

describe("a short secret", () => {
  it("is redacted as a word, and not cut out of words", () => {
    const { redact } = new Redaction(["a", "123", "abcd", "%"]);
    expect(redact("a cat sat at 12345 and 123, abcde")).toBe("[redacted] cat sat at 12345 and [redacted], [redacted]e");
    expect(redact("password=a&x=123")).toBe("password=[redacted]&x=[redacted]");
    expect(redact("50%")).toBe("50[redacted]");
  });
});
