import { ParkError, type Clock } from "#model";
import type { OpenedSource } from "#sources";
import type { Destination } from "../contract.ts";
import { FilesDestination } from "./files/files-destination.ts";
import type { InboxStream } from "./sql/inbox-columns.ts";
import { SqlDestination } from "./sql/sql-destination.ts";
import { tableNames } from "./sql/table-columns.ts";

export interface DestinationDeps {
  /** The opened sources, by their names in the sync file. */
  readonly sources: ReadonlyMap<string, Pick<OpenedSource<unknown>, "tableInbox" | "folderInbox">>;
  /** Tells two installations on one inbox apart. */
  readonly installation: string;
  readonly clock: Clock;
}

/**
 * Opens where a stream's returns go. Connects at the first use.
 * @throws {ParkError} E_RETURN_INBOX when svcsync cannot hand over to such a source, or `to` names the wrong kind of place.
 */
export function openDestination(stream: InboxStream, { sources, installation, clock }: DestinationDeps): Destination {
  const { name, to, answers } = stream;
  const source = sources.get(to.source);
  const wrong = (what: string) =>
    new ParkError("E_RETURN_INBOX", `stream ${name} under "returns" hands over to source ${to.source}: ${what}`);
  if (source?.tableInbox !== undefined) {
    if (to.table === undefined) throw wrong("it is a database, so name a table under `to`");
    const { head, lines } = tableNames(stream);
    const adds = lines === undefined ? [head] : [head, lines];
    const inbox = source.tableInbox({ adds, reads: answers?.table === undefined ? [] : [answers.table] });
    return new SqlDestination({ inbox, stream, installation, clock });
  }
  if (source?.folderInbox !== undefined) {
    if (to.folder === undefined) throw wrong("it is a folder, so name one below it under `folder`");
    return new FilesDestination({ inbox: source.folderInbox(to.folder), stream, installation, clock });
  }
  throw wrong(
    "svcsync can hand over into a database (adapter sql) or a folder (adapter files), and only reads from this one",
  );
}
