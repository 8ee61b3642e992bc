import { recordLabel, type RecordId } from "#model";
import { html, type Html } from "#server";
import type { SearchHits } from "../../routes/search.ts";
import { page, type Frame } from "../frame/layout.ts";
import { recordsTable, type TitledRecord } from "./records-page.ts";

interface SearchPage {
  readonly text: string;
  readonly found: SearchHits & { readonly records: readonly TitledRecord[] };
  readonly frame: Frame;
  readonly now: number;
}

export function searchPage({ text, found, frame, now }: SearchPage): Html {
  const { records, next } = found;
  return page({
    title: `svcsync: search for ${text}`,
    frame: { ...frame, searched: text },
    main: html`<h1>${records.length === 0 ? "Nothing found" : `Found ${records.length}`}</h1>
      ${
        records.length === 0
          ? html`<p>
                No record ${next === undefined ? "" : "so far "}has the key, the service id or the text <q>${text}</q>.
              </p>
              <p>
                A part of a key or of any text in the ERP's row is enough; a service id is found by all its digits.
              </p>`
          : recordsTable(`Records with ${text}`, records, now)
      }
      ${
        next === undefined
          ? undefined
          : html`<p><a class="button" href="${nextPath(text, next)}">Continue after ${recordLabel(next)}</a></p>`
      }`,
  });
}

function nextPath(text: string, { stream, key }: RecordId): string {
  return `/search?${new URLSearchParams({ q: text, "after-stream": stream, "after-key": key }).toString()}`;
}
