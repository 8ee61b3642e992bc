/** The name among `known` that `name` was probably meant to be: the same letters in another case, or up to two edits. */
export function closest(name: string, known: readonly string[]): string | undefined {
  const lower = name.toLowerCase();
  const ranked = known
    .map((candidate) => ({ candidate, edits: edits(lower, candidate.toLowerCase()) }))
    .toSorted((a, b) => a.edits - b.edits);
  const best = ranked[0];
  return best && best.edits <= 2 ? best.candidate : undefined;
}

function edits(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++)
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1));
    row = next;
  }
  return row[b.length]!;
}
