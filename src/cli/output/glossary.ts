import { textLines } from "#model";

/** The end of a help text: what words of the output mean, one a line. */
export function glossary(title: string, meanings: Readonly<Record<string | number, string>>): string {
  const width = Math.max(...Object.keys(meanings).map((word) => word.length)) + 2;
  return `\n${title}:\n${textLines(Object.entries(meanings).map(([word, meaning]) => `  ${word.padEnd(width)}${meaning}`))}`;
}
