/**
 * How alike two texts are, from 0 to 1, by the pairs of letters they share (Dice's coefficient). Below 1 unless they are
 * equal; with `insensitive`, texts that differ in case alone are equal.
 */
export function similarity(left: string, right: string, insensitive: boolean): number {
  const a = left.toLowerCase();
  const b = right.toLowerCase();
  if (left === right || (insensitive && a === b)) return 1;
  if (a === b) return ALMOST;
  const pairs = pairsOf(a);
  let shared = 0;
  for (const pair of pairsOf(b)) {
    const at = pairs.indexOf(pair);
    if (at < 0) continue;
    pairs.splice(at, 1);
    shared += 1;
  }
  const total = Math.max(a.length - 1, 0) + Math.max(b.length - 1, 0);
  return total === 0 ? 0 : Math.min((2 * shared) / total, ALMOST);
}

/** Texts that are not equal are never wholly alike. */
const ALMOST = 0.99;

function pairsOf(text: string): string[] {
  return Array.from({ length: Math.max(text.length - 1, 0) }, (_, at) => text.slice(at, at + 2));
}
