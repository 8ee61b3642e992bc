/**
 * The known word that `word` is most likely a misspelling of, or undefined when none is near: as many letters inserted,
 * removed, replaced or swapped with their neighbour as a third of the word, one at least and three at most. Case does not
 * count. Words that differ in their digits alone (email1, email2) are two words, not one misspelt.
 */
export function nearest(word: string, names: Iterable<string>): string | undefined {
  const lower = word.toLowerCase();
  const allowed = Math.min(3, Math.max(1, Math.floor(word.length / 3)));
  let best: { readonly name: string; readonly edits: number } | undefined;
  for (const name of names) {
    const known = name.toLowerCase();
    if (known !== lower && withoutDigits(known) === withoutDigits(lower)) continue;
    const edits = editDistance(lower, known);
    if (edits <= allowed && edits < (best?.edits ?? Infinity)) best = { name, edits };
  }
  return best?.name;
}

function withoutDigits(word: string): string {
  return word.replace(/\d/g, "");
}

/** Optimal string alignment, row by row. */
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
