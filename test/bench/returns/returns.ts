import type { Sizes } from "../figures.ts";
import { measured, type Figure } from "../runs.ts";
import { measureRounds } from "./rounds.ts";
import { measureBeside, measureWayBack } from "./way-back.ts";

/** What the way back to the ERP takes, and what the forward way takes beside it. */
export function measureReturns(sizes: Sizes): Promise<Figure[]> {
  return measured(1, async () => [
    ...(await measureWayBack(sizes)),
    ...(await measureRounds(sizes)),
    ...(await measureBeside(sizes)),
  ]);
}
