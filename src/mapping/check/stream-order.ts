/** A stream, its field that refers to another stream, and that stream. */
export interface StreamReference {
  readonly stream: string;
  readonly field: string;
  readonly target: string;
}

export interface Order {
  /** Parents before children, otherwise as in the file. */
  readonly names: readonly string[];
  /** Each cycle of references once: its last reference, and the streams on the way. */
  readonly circles: readonly { readonly reference: StreamReference; readonly way: readonly string[] }[];
}

/**
 * Orders streams so that parents come before their children. A stream may refer to itself (a tree of records): that
 * concerns records, not streams.
 */
export function orderStreams(streams: readonly string[], references: readonly StreamReference[]): Order {
  const names: string[] = [];
  const circles: { reference: StreamReference; way: string[] }[] = [];
  const way: string[] = [];

  function visit(stream: string): void {
    if (names.includes(stream)) return;
    way.push(stream);
    for (const reference of references) {
      const { target } = reference;
      if (reference.stream !== stream || target === stream || !streams.includes(target)) continue;
      const begins = way.indexOf(target);
      if (begins < 0) visit(target);
      else circles.push({ reference, way: [...way.slice(begins), target] });
    }
    way.pop();
    names.push(stream);
  }

  for (const stream of streams) visit(stream);
  return { names, circles };
}
