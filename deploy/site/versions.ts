const form = /^(\d+)\.(\d+)\.(\d+)(?:-(.+))?$/;

/** The names of folders that are versions, the newest first. */
export function versionsOf(names: readonly string[]): string[] {
  return names.filter((name) => form.test(name)).toSorted((one, other) => order(other, one));
}

function order(one: string, other: string): number {
  const [a, b] = [form.exec(one) ?? [], form.exec(other) ?? []];
  for (const part of [1, 2, 3]) {
    const difference = Number(a[part]) - Number(b[part]);
    if (difference !== 0) return difference;
  }
  // A version comes after its candidates: 1.0.0-rc.1 before 1.0.0.
  if (a[4] === undefined || b[4] === undefined) return Number(a[4] === undefined) - Number(b[4] === undefined);
  return a[4].localeCompare(b[4], "en", { numeric: true });
}
