import { ChildProcess, spawn } from "node:child_process";
import { subscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import type { Row } from "#model";
import { Evaluation } from "../../src/mapping/expression/evaluation.ts";
import { functionNames } from "../../src/mapping/expression/expression-fault.ts";
import { isBounded } from "../../src/mapping/expression/expression-risk.ts";
import { mapField, streamWith } from "./sample.ts";
import { scriptEnvironment } from "../setup/script.ts";

/** Every process that was started, those that evaluate expressions among them. */
const processes: ChildProcess[] = [];
const started = z.object({ process: z.instanceof(ChildProcess) });
subscribe("child_process", (message) => processes.push(started.parse(message).process));

function bounded(text: string): boolean {
  return isBounded(new Evaluation(text).ast);
}

/** A process that has ended and was not yet waited for counts as ended. */
function isRunning(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ");
  } catch {
    return false;
  }
}

async function valueOf(expr: string, row: Row): Promise<unknown> {
  const mapped = await mapField({ expr }, row);
  return mapped.kind === "value" ? mapped.value : mapped;
}

describe("an expression", () => {
  it("sees no NULLs, at any depth", async () => {
    expect(await valueOf("a & '-' & b.c & '-' & d[0].e", { a: null, b: { c: null }, d: [{ e: null }] })).toBe("--");
    expect(await valueOf("$exists(a)", { a: null })).toBe(false);
  });

  it("that gives nothing gives null", async () => {
    expect(await valueOf("a", { a: null })).toBeNull();
    expect(await valueOf("a.b.c", { a: {} })).toBeNull();
  });

  it("keeps text, numbers, truth values, lists and objects as they are", async () => {
    expect(await valueOf("{'a': [1, 'x', true], 'b': {'c': n}}", { n: 2 })).toEqual({ a: [1, "x", true], b: { c: 2 } });
  });

  it.each([
    ["a & b", ["a"], "b"],
    ["$uppercase(b)", [], "b"],
    ["$.b", [], "b"],
    ["list[x = 1].y & b", ["list"], "b"],
    ["a = 1 ? a : b", ["a"], "b"],
    ["$map(list, function($v) { $v & b })", ["list"], "b"],
    ["(x := 1; `odd name`)".replace("x", "$x"), [], "odd name"],
  ])("is parked when a column that it reads is missing: %s", async (expr, present, missing) => {
    const row = Object.fromEntries(present.map((name) => [name, 1]));
    await expect(valueOf(expr, row)).rejects.toThrow(`it.field: the row has no column "${missing}"`);
  });

  it.each(["$exists(b) ? b : 'none'", "b ?? 'none'", "list[b = 1] ?? 'none'", "list.b ?? 'none'"])(
    "may ask for a column that is not there: %s",
    async (expr) => {
      expect(await valueOf(expr, { list: null })).toBe("none");
    },
  );

  it.each([
    ["a - 1", 'the expression failed: The left side of the "-" operator must evaluate to a number'],
    ["$number(a)", "the expression failed: Unable to cast value to a number: text"],
    [
      "a < 1",
      'the expression failed: The values text and a number either side of operator "<" must be of the same data type',
    ],
    ["$utc(a, 'Europe/Berlin')", "the expression failed: $utc needs an ISO date and a time zone"],
    ["$utc('2026-01-01', a)", "the expression failed: $utc needs an ISO date and a time zone"],
    ["$local(a, 'Europe/Berlin')", "the expression failed: $local needs an instant and a time zone"],
    ["$local('2026-01-01T00:00:00Z', a)", "the expression failed: $local needs an instant and a time zone"],
    [
      "$local('2026-01-01T00:00:00', 'Europe/Berlin')",
      "the expression failed: $local needs an instant and a time zone",
    ],
    ["$local(1, 'Europe/Berlin')", "the expression failed: $local needs an instant and a time zone"],
    ["function($x) { $x }", "the expression gives a function, expected a value"],
    ["$trim", "the expression gives a function, expected a value"],
  ])("that fails parks its record and never shows the row's values: %s", async (expr, message) => {
    const failure = await valueOf(expr, { a: "hunter2" }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "E_MAPPING", family: "park", details: { stream: "it", field: "field" } });
    expect(String(failure)).toContain(`it.field: ${message}`);
    expect(JSON.stringify(failure) + String(failure)).not.toContain("hunter2");
  });

  it.each([
    ["'Ort: ' & address", "an object"],
    ["address & ''", "an object"],
    ["'Tags: ' & tags", "a list"],
    ["name & $uppercase", "a function"],
    ["name & function($x) { $x }", "a function"],
    ["$string(address)", "an object"],
    ["$string(tags)", "a list"],
    ["$string($)", "an object"],
    ["$string($trim)", "a function"],
    ["address ~> $string", "an object"],
    ["$map(people, $string)", "an object"],
    ["$join($map(people, function($one) { 'x' & $one }), ', ')", "an object"],
    ["$replace(name, /a/, function($found) { 'x' & $found })", "an object"],
    ["tags.('x' & $$.address)", "an object"],
    ["{'a': 1 & address}.a", "an object"],
    ["name ? (name & address) : ''", "an object"],
  ])("that makes a text of what is none parks its record: %s", async (expr, found) => {
    const row = { name: "ana", address: { city: "Ulm" }, tags: ["a", "b"], people: [{ n: 1 }, { n: 2 }] };
    const failure = await valueOf(expr, row).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "E_MAPPING" });
    expect(String(failure)).toContain(`found ${found} where a text is made`);
    expect(String(failure)).not.toContain("Ulm");
  });

  it.each([
    "$join(people, ', ')",
    "$join([address], '')",
    "$uppercase(address)",
    "$replace(address, 'a', 'b')",
    "$trim(tags)",
    "$replace(name, /a/, function($m) { address })",
    "$lowercase($trim)",
    "$substring(tags, 1)",
  ])("gives no list, object or function to a function of texts: %s", async (expr) => {
    const row = { name: "ana", address: { city: "Ulm" }, tags: ["a", "b"], people: [{ n: 1 }, { n: 2 }] };
    await expect(valueOf(expr, row)).rejects.toMatchObject({ code: "E_MAPPING" });
  });

  it.each([
    ["1 & '-' & 0.1 & true", "1-0.1true"],
    ["$string(1/3) & $string(false) & $string('x')", "0.333333333333333falsex"],
    ["nothing & 'x' & $string(nothing)", "x"],
    ["tags[0] & people[1].n", "a2"],
    ["$join($map(people, function($one) { $string($one.n) }), ',')", "1,2"],
    ["$map(people.n, $string)", ["1", "2"]],
    ["name.('x' & $)", "xana"],
  ])("makes texts of plain values: %s", async (expr, value) => {
    const row = { name: "ana", nothing: null, tags: ["a"], people: [{ n: 1 }, { n: 2 }] };
    expect(await valueOf(expr, row)).toEqual(value);
  });

  it.each(["legal_name.x", "$.legal_name.x", "people.name.x", "`legal_name`.x.y"])(
    "that is only a path parks a record in which it goes into a text: %s",
    async (expr) => {
      const failure = await valueOf(expr, { legal_name: "Muster", people: [{ name: "Ina" }] }).catch(
        (error: unknown) => error,
      );
      expect(failure).toMatchObject({
        code: "E_MAPPING",
        message: expect.stringContaining('holds text, which has no member "x"'),
      });
      expect(String(failure)).not.toMatch(/Muster|Ina/);
    },
  );

  it("may be a path into lists and into what is not there", async () => {
    const row = { people: [{ name: "Ina" }, { name: null }, {}], none: null, address: {} };
    expect(await valueOf("people.name", row)).toBe("Ina");
    expect(await valueOf("none.x.y", row)).toBeNull();
    expect(await valueOf("address.x.y", row)).toBeNull();
  });

  it("shows what its author put into $error", async () => {
    await expect(valueOf("$error('no such branch')", {})).rejects.toThrow("the expression failed: no such branch");
  });

  it.each(["a / b", "b / b", "[a / b]"])("that divides by zero parks its record: %s", async (expr) => {
    await expect(valueOf(expr, { a: 1, b: 0 })).rejects.toThrow("no finite number: does it divide by zero?");
  });

  it("that runs away parks its record", async () => {
    // On a busy machine the deadline of its process may come before its own limit.
    await expect(valueOf("($f := function($n) { $f($n + 1) }; $f(1))", {})).rejects.toThrow(
      /Evaluation timeout|did not end within 2 s/,
    );
    await expect(valueOf("($f := function($n) { 1 + $f($n) }; $f(1))", {})).rejects.toThrow("Stack overflow");
    await expect(valueOf("[1..200000].($ & a)", { a: 1 })).rejects.toThrow("maximum sequence length");
  });

  it("may name values of its own, and every function that is offered is there", async () => {
    expect(await valueOf("($up := $uppercase; list@$v#$i.($up($v) & $i))", { list: ["a", "b"] })).toEqual(["A0", "B1"]);
    for (const name of functionNames) expect(await valueOf(`$type($${name})`, {})).toBe("function");
  });

  it("answers the same when many rows are mapped at once", async () => {
    const stream = streamWith({ fields: { name: { expr: "$uppercase(a) & $uppercase(b)" } } });
    const rows = Array.from({ length: 200 }, (_, at) => ({ a: `x${at}`, b: at % 2 === 0 ? null : "y" }));
    const mapped = await Promise.all(rows.map((row) => stream.map(row, false)));
    expect(mapped.map((one) => one.kind === "record" && one.fields[0]!.value)).toEqual(
      rows.map(({ a, b }) => ({ kind: "value", value: a.toUpperCase() + (b ?? "").toUpperCase() })),
    );
  });
});

describe("$plainText", () => {
  it.each([
    ["<p>Pumpe <b>leckt</b>.</p>\n<p>Bitte heute</p>", "Pumpe leckt.\nBitte heute"],
    ["eins<br/>zwei<BR>drei", "eins\nzwei\ndrei"],
    ["<ul><li>Filter</li><li>Öl</li></ul>", "- Filter\n- Öl"],
    ["Müller&nbsp;&amp; S&ouml;hne &#8364; &#x41; &unknown; &#0;", "Müller & Söhne € A &unknown; &#0;"],
    ["&lt;b&gt; bleibt Text", "<b> bleibt Text"],
    ["ohne Tags\nzweite  Zeile\n\n\n\ndritte", "ohne Tags\nzweite Zeile\n\ndritte"],
    ["a < b und c > d", "a < b und c > d"],
    ["<p>eins</p><p><br></p><p></p><p>zwei</p>", "eins\n\nzwei"],
    ["<!-- Notiz --><div>x</div>", "x"],
    ["", ""],
  ])("makes text of %j", async (html, text) => {
    expect(await valueOf("$plainText(a)", { a: html })).toBe(text);
  });

  it("has no value where there is none, and refuses what is no text", async () => {
    expect(await valueOf("$plainText(a)", { a: null })).toBeNull();
    await expect(valueOf("$plainText(a)", { a: 7 })).rejects.toThrow("$plainText needs a text");
  });

  it("takes no longer than the text is long", async () => {
    const text = "<".repeat(200_000) + "&".repeat(200_000) + "<!-- ".repeat(40_000);
    expect(await valueOf("$length($plainText(a))", { a: text })).toBeGreaterThan(0);
  });
});

describe("$local", () => {
  it.each([
    ["2026-05-04T22:00:00.000Z", "2026-05-05T00:00:00"],
    ["2026-12-01T23:30:15.999Z", "2026-12-02T00:30:15"],
    ["2026-10-25T00:30:00.000Z", "2026-10-25T02:30:00"],
    ["2026-10-25T01:30:00Z", "2026-10-25T02:30:00"],
    ["2026-05-04T12:00:00+05:00", "2026-05-04T09:00:00"],
  ])("makes of %s the local time %s", async (instant, text) => {
    expect(await valueOf("$local(a, 'Europe/Berlin')", { a: instant })).toBe(text);
  });

  it("gives nothing for nothing", async () => {
    expect(await valueOf("$local(a, 'Europe/Berlin')", { a: null })).toBeNull();
    expect(await valueOf("$local(a, 'Europe/Berlin')", { a: "" })).toBeNull();
  });
});

describe("$utc", () => {
  it.each([
    ["2026-03-29 01:59:59", "2026-03-29T00:59:59.000Z"],
    ["2026-03-29T02:30:00", "2026-03-29T01:30:00.000Z"],
    ["2026-10-25 02:30", "2026-10-25T00:30:00.000Z"],
    ["2026-10-25 03:30:00.123456", "2026-10-25T02:30:00.123Z"],
    ["2026-05-04T12:00:00Z", "2026-05-04T12:00:00.000Z"],
    ["2026-05-04 12:00:00+05:00", "2026-05-04T07:00:00.000Z"],
    ["2026-05-04 12:00:00-0500", "2026-05-04T17:00:00.000Z"],
    ["2026-05-04T12:00+05:00[Asia/Karachi]", "2026-05-04T07:00:00.000Z"],
    ["2026-05-04T12:00:00+05:00:00", "2026-05-04T07:00:00.000Z"],
    ["20260504T120000+05", "2026-05-04T07:00:00.000Z"],
    ["20260504", "2026-05-03T22:00:00.000Z"],
  ])("reads %s in Berlin as %s", async (text, instant) => {
    expect(await valueOf("$utc(a, 'Europe/Berlin')", { a: text })).toBe(instant);
  });

  it("gives nothing for nothing", async () => {
    expect(await valueOf("$utc(a, 'Europe/Berlin')", { a: null })).toBeNull();
    expect(await valueOf("$utc(a, 'Europe/Berlin')", { a: "" })).toBeNull();
    // A column of fixed width in which nothing was entered.
    expect(await valueOf("$utc(a, 'Europe/Berlin')", { a: " ".repeat(10) })).toBeNull();
  });

  it.each(["0001-01-01", "0001-01-01T00:00:00Z", "1753-01-01 00:00:00.000"])(
    "gives nothing for the empty date %s of Dynamics",
    async (blank) => {
      expect(await valueOf("$utc(a, 'Europe/Berlin')", { a: blank })).toBeNull();
    },
  );
});

/** Lets the wall clock jump at the second look of an evaluation, as after SIGSTOP and SIGCONT; `pauses` times. */
function pausing(pauses: number): void {
  const real = Date.now.bind(Date);
  let looks = 0;
  let aheadMs = 0;
  vi.spyOn(Date, "now").mockImplementation(() => {
    if (++looks % 2 === 0 && pauses-- > 0) aheadMs += 6_000;
    return real() + aheadMs;
  });
}

describe("a pause of the machine", () => {
  afterEach(() => void vi.restoreAllMocks());

  it("fails no expression", async () => {
    pausing(2);
    expect(await new Evaluation("a & b").of({ a: "x", b: "y" })).toEqual({ value: "xy" });
  });

  it("that does not end is the machine's fault, not the row's", async () => {
    pausing(Infinity);
    expect(await new Evaluation("a & b").of({ a: "x", b: "y" })).toMatchObject({ isMachines: true });
  });

  it("excuses no expression that runs forever", async () => {
    pausing(1);
    const forever = await new Evaluation("($f := function($x) { $f($x) }; $f(1))").of({});
    expect(forever).toEqual({ failure: expect.stringContaining("Check for infinite loop") });
  });
});

describe("an expression that a row makes run away", () => {
  it("is stopped in a pattern, and the next row and the process go on", async () => {
    const runaway = valueOf("$contains(a, /^(a+)+$/)", { a: `${"a".repeat(40)}!` });
    await expect(runaway).rejects.toThrow(
      "it.field: the expression did not end within 2 s and was stopped: let no pattern repeat what itself repeats",
    );
    expect(await valueOf("$contains(a, /^(a+)+$/)", { a: "aaa" })).toBe(true);
  });

  it("ends with the process that waits for it, also by SIGKILL", async () => {
    const waiting = spawn(process.execPath, ["test/mapping/killed-main.ts"], {
      env: scriptEnvironment,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [pid, signal] = await Promise.all([
      text(waiting.stdout),
      once(waiting, "exit").then(([, by]) => by as unknown),
    ]);
    expect(signal).toBe("SIGKILL");
    expect(Number(pid)).toBeGreaterThan(0);
    await expect.poll(() => isRunning(Number(pid)), { timeout: 60_000 }).toBe(false);
  }, 90_000);

  it("that runs away fails alone, whoever travelled with it", async () => {
    const good = Array.from({ length: 40 }, (_, at) => valueOf("$replace(a, /x/, 'y')", { a: `x${at}` }));
    const bad = valueOf("$match(a, /^(x+)+$/).match", { a: `${"x".repeat(40)}!` });
    const more = Array.from({ length: 40 }, (_, at) => valueOf("$replace(a, /x/, 'z')", { a: `x${at}` }));
    await expect(bad).rejects.toThrow("did not end within 2 s and was stopped");
    expect(await Promise.all(good)).toEqual(good.map((_, at) => `y${at}`));
    expect(await Promise.all(more)).toEqual(more.map((_, at) => `z${at}`));
  });

  it("is stopped when it takes all the memory", async () => {
    const expr = "$split($reduce([1..26], function($s, $i) { $s & $s }, a), '')";
    await expect(valueOf(expr, { a: "ab" })).rejects.toThrow("the expression needed more than 128 MB and was stopped");
    expect(await valueOf("$match(a, /x/).match", { a: "x" })).toBe("x");
  });

  it("is evaluated again when its process is ended from outside", async () => {
    expect(await valueOf("$match(a, /x/).match", { a: "x" })).toBe("x");
    const running = processes.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
    const sent = running.map((each) => vi.spyOn(each, "send"));
    for (const each of running) each.kill("SIGSTOP");
    const value = valueOf("$match(a, /y/).match", { a: "y" });
    await expect.poll(() => sent.some(({ mock }) => mock.calls.length > 0)).toBe(true);
    for (const each of running) each.kill("SIGKILL");
    expect(await value).toBe("y");
  });

  it("is waited for while its machine is paused: the wall clock proves nothing", async () => {
    expect(await valueOf("$match(a, /x/).match", { a: "x" })).toBe("x");
    const running = processes.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
    const sent = running.map((each) => vi.spyOn(each, "send"));
    for (const each of running) each.kill("SIGSTOP");
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    try {
      const value = valueOf("$match(a, /y/).match", { a: "y" });
      await expect.poll(() => sent.some(({ mock }) => mock.calls.length > 0)).toBe(true);
      vi.advanceTimersByTime(10_000);
      for (const each of running) each.kill("SIGCONT");
      expect(await value).toBe("y");
    } finally {
      vi.useRealTimers();
    }
    expect(running.map(({ signalCode }) => signalCode)).toEqual(running.map(() => null));
  });

  it.each([
    ["is not there", "/nowhere/node", /did not start \(spawn \/nowhere\/node ENOENT\)/],
    ["ends at once", "/bin/false", /did not start \(it ended with 1\)/],
  ])("tells why its process did not start, as when its program %s", async (_what, program, why) => {
    const { execPath } = process;
    // What runs away ends its process, so that the next one has to be started.
    await expect(valueOf("$split($reduce([1..26], function($s, $i) { $s & $s }, a), '')", { a: "ab" })).rejects.toThrow(
      "was stopped",
    );
    process.execPath = program;
    try {
      await expect(valueOf("$match(a, /x/).match", { a: "x" })).rejects.toMatchObject({
        family: "retry",
        code: "E_EXPRESSION_PROCESS",
        message: expect.stringMatching(why),
      });
    } finally {
      process.execPath = execPath;
    }
    expect(await valueOf("$match(a, /x/).match", { a: "x" })).toBe("x");
  });

  it.each(["$pad(a, 5e8)", "$pad(a, -5e8)", "$pad(a, b)"])("may not ask for a text of any width: %s", async (expr) => {
    await expect(valueOf(expr, { a: "x", b: 500_000_000 })).rejects.toThrow(
      "$pad makes texts of up to 10000 characters",
    );
  });

  it("leaves $pad as it is for widths that a record holds", async () => {
    expect(await valueOf("$pad(a, 5) & '|' & $pad(a, -5, '#-') & '|' & $pad(a, 1)", { a: "foo" })).toBe(
      "foo  |#-foo|foo",
    );
    expect(await valueOf("$pad(a, 5)", { a: null })).toBeNull();
  });

  it("cannot be one of the plain kind, which runs beside everything else", () => {
    for (const text of [
      "$trim(name1 & ' ' & name2)",
      "$join([subject, body][$ != ''], '\n\n')",
      "$utc(due_date, 'Europe/Berlin')",
      "a = 1 and $not(b) ? $substring(a, 0, 5) : b ?? 'none'",
      "{'a': [1, 'x', true], 'b': {'c': n}}",
      "$replace(a, '-', '') & $pad(b, -8, '0') & address.city.name",
      "list[x = 1].y",
      "status in ['A', 'B']",
    ])
      expect([text, bounded(text)]).toEqual([text, true]);
    for (const text of [
      "$match(a, /x/)",
      "a[$contains($, /x/)]",
      "[1..1000000]",
      "$map(list, function($v) { $v })",
      "($x := a; $x & $x)",
      "list.($join($$.list))",
      "$pad(a, b)",
      "$replace(a, b, c)",
      "$toMillis(a, '[Y]-[M]')",
      "a ~> $uppercase()",
      "**.x",
      "list^(x)",
      // Each member is compared with all others.
      "$distinct(list)",
      "list[x in $$.others.x]",
    ])
      expect([text, bounded(text)]).toEqual([text, false]);
  });
});
