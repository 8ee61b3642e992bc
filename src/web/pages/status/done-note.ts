import { counted, type StreamName } from "#model";
import { html, type Html } from "#server";

/** The result of an act on many records. */
export type BulkResult =
  | { readonly act: "retry"; readonly count: number; readonly of: number }
  | { readonly act: "deletions" | "plan"; readonly count: number; readonly stream: StreamName };

/** The status page with a note about the result. */
export function donePath(result: BulkResult): string {
  const parameters = Object.entries(result).map(([name, value]): [string, string] => [name, String(value)]);
  return `/?${new URLSearchParams(parameters).toString()}`;
}

/** The note for an address of {@link donePath}; undefined for any other. Only numbers and streams of the sync file are shown. */
export function doneNote(query: Readonly<Record<string, string>>, streams: readonly StreamName[]): Html | undefined {
  const text = textOf(query, streams);
  return text === undefined ? undefined : html`<p class="done" role="status">${text}</p>`;
}

function textOf({ act, count, of, stream = "" }: Readonly<Record<string, string>>, streams: readonly StreamName[]) {
  const [done, asked] = [numberIn(count), numberIn(of)];
  if (done === undefined) return undefined;
  if (act === "retry" && asked !== undefined) {
    const rest = done < asked ? " The others are no longer held up." : "";
    return `${done.toLocaleString("en")} of ${counted(asked, "record")} ${asked === 1 ? "is" : "are"} due now.${rest}`;
  }
  if (!streams.includes(stream)) return undefined;
  if (act === "deletions") return `${counted(done, "deletion")} of ${stream} ${done === 1 ? "was" : "were"} confirmed.`;
  return act === "plan"
    ? `${counted(done, "update")} of ${stream} ${done === 1 ? "was" : "were"} released.`
    : undefined;
}

function numberIn(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,12}$/.test(text) ? Number(text) : undefined;
}
