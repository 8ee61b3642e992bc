import { FileFault } from "../file-fault.ts";

/**
 * Yields the lines of a text without their ends, which are a line feed, a carriage return or both.
 * @throws {FileFault} when a line has more than `limit` characters.
 */
export async function* linesOf(text: AsyncIterable<string>, limit: number): AsyncGenerator<string> {
  let rest = "";
  let line = 0;
  for await (const piece of text) {
    rest += piece;
    if (/[\r\n]/.test(piece)) {
      // A carriage return at the end may have its line feed in the next piece.
      const lines = rest.split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop() ?? "";
      line += lines.length;
      yield* lines;
    }
    if (rest.length > limit) throw new FileFault("a line is longer than 64 MB", line + 1);
  }
  if (rest !== "") yield rest.replace(/\r$/, "");
}
