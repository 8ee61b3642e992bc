/** Steps of insertion, removal, replacement or swapping neighbours between two words. */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let steps = Math.min(above[j]! + 1, row[j - 1]! + 1, above[j - 1]! + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) steps = Math.min(steps, before[j - 2]! + 1);
      row.push(steps);
    }
    before = above;
    above = row;
  }
  return above[b.length]!;
}

/** The known word that `word` is most likely a misspelling of, or undefined when none is near. */
export function nearest(word: string, known: Iterable<string>): string | undefined {
  const lower = word.toLowerCase();
  const allowed = Math.max(1, Math.floor(word.length / 3));
  let best: { name: string; steps: number } | undefined;
  for (const name of known) {
    const steps = distance(lower, name.toLowerCase());
    if (steps <= allowed && (best === undefined || steps < best.steps)) best = { name, steps };
  }
  return best?.name;
}

/** `, did you mean "status"?` or nothing. */
export function didYouMean(word: string, known: Iterable<string>): string {
  const name = nearest(word, known);
  return name === undefined ? "" : `, did you mean "${name}"?`;
}
