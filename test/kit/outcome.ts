/** A signal that is never aborted. */
export const never = new AbortController().signal;

/** What a promise was rejected with. */
export async function thrownBy(work: Promise<unknown>): Promise<unknown> {
  try {
    await work;
  } catch (thrown) {
    return thrown;
  }
  throw new Error("nothing was thrown");
}
