import { expect, it } from "vitest";
import { utf8Fault } from "#model";

it.each([
  ["a: Müller\n", undefined],
  ["", undefined],
  ["\uFEFFa: 1", undefined],
  [Buffer.from("a: 1\nb: M\xfcller\n", "latin1"), { line: 2, column: 5, byte: "0xfc" }],
  // The first byte of three in UTF-8, with letters behind it.
  [Buffer.from("b: B\xe4r", "latin1"), { line: 1, column: 5, byte: "0xe4" }],
  [Buffer.from("\xdc\nb: Stra\xdfe", "latin1"), { line: 1, column: 1, byte: "0xdc" }],
  [Buffer.concat([Buffer.from("Müller\n"), Buffer.from("x: \x80", "latin1")]), { line: 2, column: 4, byte: "0x80" }],
  [Buffer.from("a: Caf\xe9", "latin1"), { line: 1, column: 7, byte: "0xe9" }],
  [Buffer.from([0xff, 0xfe, 0x61, 0]), { line: 1, column: 1, byte: "0xff" }],
])("finds the first byte that is not UTF-8: %#", (bytes, fault) => {
  expect(utf8Fault(Buffer.from(bytes))).toEqual(fault);
});
