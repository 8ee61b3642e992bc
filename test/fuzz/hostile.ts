import type { Json } from "#model";
import type { Dice } from "../chaos/dice.ts";

const texts = [
  "",
  " ",
  ".",
  "..",
  "/",
  "../../etc/passwd",
  "%2e%2e%2f",
  "a/b?c=d#e",
  "\\",
  "|",
  "a|b\\|c",
  "'",
  "''; DROP TABLE records; --",
  '"',
  "`",
  "<script>alert(1)</script>",
  "${ERP_PASSWORD}",
  "{{7*7}}",
  "=cmd|' /C calc'!A0",
  "null",
  "undefined",
  "NaN",
  "true",
  "-0",
  "1e999",
  "00012",
  "9007199254740993",
  "__proto__",
  "constructor",
  "toString",
  "\u0000",
  "a\u0000b",
  "\ud800",
  "x\udfff\ud800y",
  "\u202egnp.exe",
  "\u001b[31mred\u0007",
  "\u009b31m",
  "\ufeff",
  "\ufffd",
  "a\r\nSet-Cookie: b=c",
  "A\u0308",
  "İıßẞ",
  "👩‍👩‍👧‍👦",
  "2099-12-31T23:59:59.999Z",
];

/** Text that has broken programs before. */
export function hostileText(dice: Dice): string {
  return dice.weighted<() => string>([
    [12, () => dice.pick(texts)],
    [2, () => dice.pick(texts) + dice.pick(texts)],
    [1, () => dice.pick(["a", "\\", '"', " ", "(", "é"]).repeat(dice.between(300, 20_000))],
    [1, () => String(dice.between(0, 1_000_000))],
  ])();
}

/** Not a safe positive integer, or not a number at all. */
export function hostileId(dice: Dice): Json {
  return dice.pick<Json>([0, -1, 1e30, 2 ** 53, 2 ** 53 + 2, 1.5, 1e-7, "", "12x", null, true, [], {}, [7], { id: 7 }]);
}

export function hostileStamp(dice: Dice): Json {
  return dice.pick<Json>([
    "2099-12-31T23:59:59.999Z",
    "9999-12-31T23:59:59.999Z",
    "+275760-09-13T00:00:00.001Z",
    "-000001-01-01T00:00:00.000Z",
    "0000-00-00 00:00:00",
    "1969-12-31T23:59:59.999Z",
    "2026-02-30T25:61:61.000Z",
    "2026-11-22T02:25:19.123456789Z",
    "2026-11-22T02:25:19",
    "yesterday",
    "",
    0,
    -1,
    1e15,
    1e300,
    null,
    true,
    {},
    [],
  ]);
}

export function hostileValue(dice: Dice, depth = 0): Json {
  return dice.weighted<() => Json>([
    [6, () => hostileText(dice)],
    [2, () => dice.pick<Json>([0, -0, -1, 0.1, 1e308, 5e-324, 2 ** 53 + 2, -(2 ** 63)])],
    [2, () => dice.pick<Json>([true, false, null])],
    [1, () => hostileStamp(dice)],
    [depth > 2 ? 0 : 1, () => [hostileValue(dice, depth + 1), hostileValue(dice, depth + 1)]],
    [depth > 2 ? 0 : 1, () => ({ [hostileText(dice)]: hostileValue(dice, depth + 1) })],
  ])();
}
