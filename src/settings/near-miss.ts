/** More edits than this and two names are just different names. */
const maxEdits = 2;

/** The known name that `name` was probably meant to be. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  let best: { name: string; edits: number } | undefined;
  for (const candidate of known) {
    const edits = editDistance(name, candidate);
    if (edits <= maxEdits && edits < (best?.edits ?? Infinity)) best = { name: candidate, edits };
  }
  return best?.name;
}

/** How many single letters must be inserted, removed, replaced or swapped with their neighbour (optimal string alignment). */
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
