import { nearest } from "#model";

/** `, did you mean "status"?` or nothing. */
export function didYouMean(word: string, known: Iterable<string>): string {
  const name = nearest(word, known);
  return name === undefined ? "" : `, did you mean "${name}"?`;
}
