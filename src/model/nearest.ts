/**
 * The known word of which `word` is most likely a misspelling, or undefined if none is near. Near means that letters were inserted,
 * removed, replaced or swapped with their neighbour, at most a third of the word's length, but at least one and at most three. Case is
 * ignored, but the word itself is never its own misspelling. Words that differ only in their digits (email1, email2) are two words, not a misspelling.
 */
export function nearest(word: string, names: Iterable<string>): string | undefined {
  const lower = word.toLowerCase();
  const allowed = Math.min(3, Math.max(1, Math.floor(word.length / 3)));
  let best: { readonly name: string; readonly edits: number } | undefined;
  for (const name of names) {
    const known = name.toLowerCase();
    if (name === word) continue;
    if (known !== lower && withoutDigits(known) === withoutDigits(lower)) continue;
    const edits = editDistance(lower, known);
    if (edits <= allowed && edits < (best?.edits ?? Infinity)) best = { name, edits };
  }
  return best?.name;
}

/** For a message about an unknown word: what was probably meant, or else the words that there are, at most so many. */
export function meantHint(word: string, known: readonly string[], most = Infinity): string {
  const meant = nearest(word, known);
  return meant === undefined ? `it has ${known.slice(0, most).join(", ")}` : `did you mean ${meant}?`;
}

function withoutDigits(word: string): string {
  return word.replace(/\d/g, "");
}

/** Optimal string alignment distance, row by row. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      current[column] = Math.min(
        last[column]! + 1,
        current[column - 1]! + 1,
        last[column - 1]! + (same ? 0 : 1),
        swapped ? beforeLast[column - 2]! + 1 : Infinity,
      );
    }
    [beforeLast, last] = [last, current];
  }
  return last[b.length]!;
}
