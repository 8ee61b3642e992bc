import type { StreamName } from "#model";
import { acts, type Act } from "#operator";
import { html, type Html } from "#server";

/** The status page with a note about the result of an act on many records. */
export function donePath(
  { name, target }: Pick<Act, "name" | "target">,
  of: string,
  count: number,
  asked: number,
): string {
  const parameters = {
    act: name,
    count: String(count),
    ...(target === "stream" ? { stream: of } : { of: String(asked) }),
  };
  return `/?${new URLSearchParams(parameters).toString()}`;
}

/** The note for an address of {@link donePath}; undefined for any other. Only numbers and streams of the sync file are shown. */
export function doneNote(query: Readonly<Record<string, string>>, streams: readonly StreamName[]): Html | undefined {
  const text = textOf(query, streams);
  return text === undefined ? undefined : html`<p class="done" role="status">${text}</p>`;
}

function textOf({ act: name, count, of, stream }: Readonly<Record<string, string>>, streams: readonly StreamName[]) {
  const kind = stream === undefined ? "group" : "stream";
  const act = acts.find((each) => each.name === name && each.target === kind);
  const [done, asked] = [numberIn(count), numberIn(kind === "group" ? of : count)];
  if (done === undefined || asked === undefined) return undefined;
  return stream === undefined || streams.includes(stream) ? act?.bulk?.said(done, asked, stream ?? "") : undefined;
}

function numberIn(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,12}$/.test(text) ? Number(text) : undefined;
}
