/** Works on the items in their order, `most` at the same time. Once one fails, begins no other; throws that failure when those that run have ended. */
export async function someAtOnce<Item>(
  items: readonly Item[],
  most: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const left = [...items];
  const worker = async () => {
    try {
      for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
    } catch (thrown) {
      left.length = 0;
      throw thrown;
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: Math.min(most, items.length) }, worker));
  for (const one of ended) if (one.status === "rejected") throw one.reason;
}
