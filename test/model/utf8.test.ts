import { expect, it } from "vitest";
import { utf8Fault } from "#model";

it.each([
  ["a: Müller\n", undefined],
  ["", undefined],
  ["\uFEFFa: 1", undefined],
  [Buffer.from("a: 1\nb: M\xfcller\n", "latin1"), { line: 2, column: 5, byte: "0xfc", seems: "Windows-1252" }],
  // The first byte of three in UTF-8, with letters behind it.
  [Buffer.from("b: B\xe4r", "latin1"), { line: 1, column: 5, byte: "0xe4", seems: "Windows-1252" }],
  [Buffer.from("\xdc\nb: Stra\xdfe", "latin1"), { line: 1, column: 1, byte: "0xdc", seems: "Windows-1252" }],
  [
    Buffer.concat([Buffer.from("Müller\n"), Buffer.from("x: \x80", "latin1")]),
    { line: 2, column: 4, byte: "0x80", seems: "Windows-1252" },
  ],
  [Buffer.from("a: Caf\xe9", "latin1"), { line: 1, column: 7, byte: "0xe9", seems: "Windows-1252" }],
  [Buffer.from("a: 1\nb: 2\n", "utf16le"), { line: 1, column: 2, byte: "0x00", seems: "UTF-16" }],
  [Buffer.from("Ü: 1\n", "utf16le"), { line: 1, column: 1, byte: "0xdc", seems: "UTF-16" }],
  [Buffer.from([0xff, 0xfe, 0x61, 0]), { line: 1, column: 1, byte: "0xff", seems: "UTF-16" }],
])("finds the first byte that is not UTF-8: %#", (bytes, fault) => {
  expect(utf8Fault(Buffer.from(bytes))).toEqual(fault);
});
