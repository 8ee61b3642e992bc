import { html, type Html } from "#server";
import type { Found } from "../../routes/search.ts";
import { page, type Frame } from "../frame/layout.ts";
import { recordsTable } from "./records-page.ts";

interface SearchPage {
  readonly text: string;
  readonly found: Found;
  readonly frame: Frame;
  readonly now: number;
}

export function searchPage({ text, found, frame, now }: SearchPage): Html {
  const { records, isWhole } = found;
  return page({
    title: `svcsync: search for ${text}`,
    frame: { ...frame, searched: text },
    main: html`<h1>${records.length === 0 ? "Nothing found" : `Found ${records.length}`}</h1>
      ${
        records.length === 0
          ? html`<p>No record has the key, the service id or the text <q>${text}</q>.</p>
              <p>
                A part of a key or of any text in the ERP's row is enough; a service id is found by all its digits.
              </p>`
          : recordsTable(`Records with ${text}`, records, now)
      }
      ${isWhole ? undefined : html`<p>Only the first 20,000 records were looked through for the text. Keys and service ids are always found.</p>`}`,
  });
}
