import { FileFault } from "../file-fault.ts";

/** Second bytes of `Ã` and `Â` that may follow these letters in a text of Windows: quotes, dashes, ellipsis, space, `«`, `»`. */
const AFTER_LETTER: ReadonlySet<number> = new Set([0x85, 0x91, 0x92, 0x93, 0x94, 0x96, 0x97, 0xa0, 0xab, 0xbb]);
const NEWLINE = 0x0a;

/**
 * Notices UTF-8 in bytes that are said to be Windows-1252 or ISO-8859-1, in which every byte has a character, so that `Müller` would be read
 * as `MÃ¼ller`. What is only possible as UTF-8 is refused at once; else a file is refused that is UTF-8 from end to end.
 */
export class Utf8Watch {
  readonly #encoding: "cp1252" | "latin1";
  #line = 1;
  /** The bytes of a character that is not complete yet. */
  #open: number[] = [];
  #isUtf8 = true;
  /** The line of the first character that a person may have written. */
  #first: number | undefined;
  /** The line of the first byte that is a character of Windows-1252 alone. */
  #windows: number | undefined;

  constructor(encoding: "cp1252" | "latin1") {
    this.#encoding = encoding;
  }

  /** @throws {FileFault} */
  write(bytes: Uint8Array): void {
    for (const byte of bytes) {
      if (byte >= 0x80) this.#high(byte);
      else {
        if (this.#open.length > 0) this.#breakOff();
        if (byte === NEWLINE) this.#line++;
      }
    }
  }

  /** Call it behind the last byte. @throws {FileFault} */
  end(): void {
    if (this.#open.length > 0) this.#breakOff();
    if (this.#isUtf8 && this.#first !== undefined)
      throw new FileFault("all text above ASCII in the file is valid UTF-8; say `encoding: utf8`", this.#first);
    if (this.#encoding === "latin1" && this.#windows !== undefined)
      throw new FileFault(
        "the file holds characters of Windows-1252 that ISO-8859-1 does not have; say `encoding: cp1252`",
        this.#windows,
      );
  }

  #high(byte: number): void {
    if (byte < 0xa0) this.#windows ??= this.#line;
    const isFollowing = byte < 0xc0;
    if (this.#open.length > 0 && !isFollowing) this.#breakOff();
    this.#open.push(byte);
    const [lead = 0] = this.#open;
    const length =
      lead >= 0xc2 && lead < 0xe0 ? 2 : lead >= 0xe0 && lead < 0xf0 ? 3 : lead >= 0xf0 && lead < 0xf5 ? 4 : 0;
    if (length === 0) this.#breakOff();
    else if (this.#open.length === length) this.#judge(this.#open);
  }

  #breakOff(): void {
    this.#isUtf8 = false;
    this.#open = [];
  }

  #judge(bytes: readonly number[]): void {
    this.#open = [];
    if (isOnlyUtf8(bytes)) {
      const hex = bytes.map((byte) => byte.toString(16)).join(" ");
      const letter = Buffer.from(bytes).toString("utf8");
      throw new FileFault(
        `the file holds UTF-8: the bytes ${hex} are "${letter}" there; say \`encoding: utf8\`, and let the ERP write one encoding`,
        this.#line,
      );
    }
    if (isPlausible(bytes)) this.#first ??= this.#line;
  }
}

/** Whether no text of Windows has these bytes beside one another: `Ã¼`, `Â°`, `â€™`. */
function isOnlyUtf8([lead = 0, second = 0]: readonly number[]): boolean {
  if (lead === 0xc3 || lead === 0xc2) return !AFTER_LETTER.has(second);
  return lead === 0xe2 && (second === 0x80 || second === 0x82);
}

/** Whether the character is of a script that an ERP may hold. Others are letters of Windows with a sign behind them: `ß”`. */
function isPlausible(bytes: readonly number[]): boolean {
  const code = Buffer.from(bytes).toString("utf8").codePointAt(0)!;
  return code < 0x250 || (code >= 0x370 && code < 0x500) || (code >= 0x1e00 && code < 0x1f00) || code >= 0x2010;
}
