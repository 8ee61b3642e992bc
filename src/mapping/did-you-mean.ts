import { nearest } from "#model";

/** `, did you mean "status"?` or nothing. Where both look alike, it names the difference instead. */
export function didYouMean(word: string, known: Iterable<string>): string {
  const name = nearest(word, known);
  if (name === undefined) return "";
  if (visible(name) === visible(word))
    return `, which has an invisible or unusual character; expected "${name}" without it`;
  return `, did you mean "${name}"?`;
}

/** The text as a person sees it. */
function visible(text: string): string {
  return text.normalize("NFKC").replace(/[\p{Cf}\p{Cc}\p{Z}\s]/gu, "");
}
