/** Narrower terminals break lines themselves. */
const NARROWEST = 40;

/**
 * Breaks lines that are longer than the terminal is wide at their blanks, and indents what follows. Without a width, as in a pipe, the
 * text stays as it is: scripts read it line by line.
 */
export function wrapped(text: string, width: number | undefined): string {
  if (width === undefined || width < NARROWEST) return text;
  return text
    .split("\n")
    .map((line) => broken(line, width))
    .join("\n");
}

function broken(line: string, width: number): string {
  if (line.length <= width) return line;
  const lead = /^ *(?:-> )?/.exec(line)![0].length;
  const indent = " ".repeat(Math.min(lead === 0 ? 2 : lead, width / 2));
  const lines: string[] = [];
  for (let rest = line; ;) {
    const most = rest.slice(0, width + 1);
    const at = most.lastIndexOf(" ");
    const isWord = most.slice(0, at).trim() === "";
    const end = rest.length <= width ? rest.length : isWord ? rest.indexOf(" ", indent.length) : at;
    if (end < 0 || end === rest.length) return [...lines, rest].join("\n");
    lines.push(rest.slice(0, end).trimEnd());
    rest = indent + rest.slice(end + 1).trimStart();
  }
}
