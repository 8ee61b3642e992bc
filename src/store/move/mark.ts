import { StopError } from "#model";

/** A store's state during a move. The old store is `leaving`, then `left`; the new one `arriving`, then `arrived`. */
export interface MoveMark {
  /** The same in both stores. */
  readonly id: string;
  readonly state: "leaving" | "left" | "arriving" | "arrived";
  /** The other store's location, without a password. */
  readonly other: string;
  readonly at: number;
}

export const FIND_MARK = "SELECT id, state, other, at FROM move";
export const ADD_MARK = "INSERT INTO move (id, state, other, at) VALUES (@id, @state, @other, @at)";

/** @throws {StopError} E_STORE_MOVED or E_STORE_INCOMPLETE when another store is in charge of the records. */
export function expectInCharge(mark: MoveMark | undefined, place: string): void {
  if (mark?.state === "left") throw moved(place, mark.other);
  if (mark?.state === "arriving") throw incomplete(place, mark.other);
}

export function moved(place: string, other: string): StopError {
  return new StopError(
    "E_STORE_MOVED",
    `the store in ${place} was moved to ${other}; set STORE_URL, STORE_SCHEMA and DATA_DIR to that place`,
    { details: { place, other } },
  );
}

function incomplete(place: string, other: string): StopError {
  return new StopError(
    "E_STORE_INCOMPLETE",
    `the store in ${place} is incomplete: the move from ${other} was interrupted. Run "svcsync move" again with the ` +
      "settings of the old store; it continues where it stopped",
    { details: { place, other } },
  );
}

/** The error of a move that is not possible: nothing was copied. */
export function moveRefused(why: string): StopError {
  return new StopError("E_MOVE_REFUSED", `nothing was moved: ${why}`);
}
