import type { Mutation } from "../exchange.ts";
import { ids, lists, stamps, structure } from "./json.ts";
import { bytes, echo, empties, headers, large, redirects, status, transport } from "./wire.ts";

/** All ways in which an answer may be wrong, by name. */
export const families: Readonly<Record<string, Mutation>> = {
  structure,
  ids,
  stamps,
  lists,
  status,
  empties,
  bytes,
  headers,
  transport,
  large,
  echo,
  redirects,
};
export const familyNames: readonly string[] = Object.keys(families);
