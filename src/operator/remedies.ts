import { recordLabel, type RecordId, type RecordState } from "#model";

/** What a person does about a record in this state; undefined where there is nothing to do. */
export function remedyOf(state: RecordState, id: RecordId): string | undefined {
  if (state === "parked")
    return `Repair what the reason names, in the ERP, the service or the sync file. A change in the ERP or the sync file tries by itself; otherwise say "svcsync retry ${recordLabel(id)}".`;
  if (state === "uncertain") {
    const command = `svcsync resolve ${recordLabel(id)}`;
    return `Look for the record in the service. Found: "${command} --bind ID". Not there: "${command} --create". Not wanted: "${command} --skip".`;
  }
  if (state === "waiting")
    return "Nothing, where what it waits for is still to come: it then goes on by itself. What never comes needs an optional ref in the sync file, or may stay as it is.";
  return undefined;
}
