import { StopError } from "#model";

/** The error of a reader that finds no store, or tables of an older version: it changes nothing, so it cannot prepare them. */
export function unprepared(place: string, found: "nothing" | "older tables"): StopError {
  const what =
    found === "nothing"
      ? `there is no store in ${place} yet`
      : `the store in ${place} has the tables of an older version`;
  return new StopError("E_STORE_UNPREPARED", `${what}, and it was opened only to read; run "svcsync status" once`, {
    details: { place, found },
  });
}
