/** Which children of a record are woken: those that wait for it, or those whose projection carries its old service id. */
export type WokenChildren = "waits" | "parents";

/**
 * Prefixes of the notes about records with children still to be woken. The record's number follows; the note holds the number of the last
 * child that was examined.
 */
export const WAKING: { readonly [Who in WokenChildren]: string } = {
  waits: "waking.waits.",
  parents: "waking.parents.",
};
