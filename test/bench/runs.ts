import { median } from "./figures.ts";

/** One figure of one run of a part, with its target where there is one; undefined where the system does not tell. */
export interface Measured {
  readonly what: string;
  readonly value: number | undefined;
  /** Digits after the point; 0 unless given. */
  readonly digits?: number;
  readonly atMost?: number;
  readonly atLeast?: number;
}

/** The same figure of several runs. */
export interface Figure extends Omit<Measured, "value"> {
  readonly values: readonly number[];
}

/** Runs a part so often, one run after the other. Each run gives the same figures in the same order. */
export async function measured(runs: number, part: () => Promise<readonly Measured[]>): Promise<Figure[]> {
  const figures: (Figure & { values: number[] })[] = [];
  for (let run = 0; run < runs; run++)
    for (const [at, { value, ...figure }] of (await part()).entries()) {
      const { values } = (figures[at] ??= { ...figure, values: [] });
      if (value !== undefined) values.push(value);
    }
  return figures;
}

/** The figure as the report's table shows it: median, spread and target. Beyond the target it is the median that counts. */
export function figureLine(
  figure: Figure,
): readonly [what: string, figure: string, wanted: string, verdict?: "missed"] {
  const { what, values, digits = 0, atMost, atLeast } = figure;
  const text = (value: number) =>
    value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  const wanted = atMost === undefined ? (atLeast === undefined ? "" : `at least ${atLeast}`) : `at most ${atMost}`;
  if (values.length === 0) return [what, "unknown here", wanted];
  const middle = median(values);
  const spread = values.length > 1 ? ` (${text(Math.min(...values))} to ${text(Math.max(...values))})` : "";
  const isMissed = middle > (atMost ?? Infinity) || middle < (atLeast ?? -Infinity);
  return isMissed ? [what + spread, text(middle), wanted, "missed"] : [what + spread, text(middle), wanted];
}
