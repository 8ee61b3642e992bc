import { ParkError } from "#model";
import type { MappedReturnLine, Rounding } from "#mapping";
import { decimalText, exactOf, rounded } from "./exact.ts";

interface Place {
  readonly stream: string;
  readonly kind: string;
}

/**
 * The amounts of the lines of one kind, in their order, as decimal text. What they add up to is the rounded sum of the exact amounts.
 * @throws {ParkError} E_RETURN_SUM when they do not, and nothing may take the difference. E_MAPPING when an inbox cannot hold an amount.
 */
export function amountsOf(
  lines: readonly Pick<MappedReturnLine, "id" | "amount">[],
  rounding: Rounding | undefined,
  { stream, kind }: Place,
): (string | null)[] {
  const exact = lines.map(({ id, amount }) => {
    if (amount === null) return null;
    const value = exactOf(amount);
    if (value === undefined) throw unfit(`line ${id} has an amount with more than 14 digits before the point`);
    return value;
  });
  if (rounding === undefined)
    return exact.map((value, at) => {
      if (value === null) return null;
      const text = decimalText(value);
      if (text !== undefined) return text;
      throw unfit(
        `line ${lines[at]!.id} has an amount with more than four digits behind the point; round it in the sync file: amount: { from: …, round: 2 }`,
      );
    });
  const { digits, remainder } = rounding;
  const values = exact.map((value) => (value === null ? null : rounded(value, digits)));
  const total = rounded(sum(exact), digits);
  const rest = total - sum(values);
  if (rest !== 0n) {
    const last = exact.findLastIndex((value) => value !== null && value !== 0n);
    const value = values[last]! + rest;
    // A difference that turns the last line around is no remainder any more.
    if (remainder === "refuse" || value * exact[last]! < 0n) throw differs(sum(values), total);
    values[last] = value;
  }
  return values.map((value) => (value === null ? null : decimalText(value, digits)!));

  function unfit(message: string): ParkError {
    return new ParkError("E_MAPPING", `${stream}.${kind}: ${message}`, {
      details: { stream, field: `${kind}.amount` },
    });
  }

  function differs(lines: bigint, total: bigint): ParkError {
    const [found = "", expected = ""] = [decimalText(lines, digits), decimalText(total, digits)];
    const advice = remainder === "refuse" ? "set remainder: last, or round to more digits" : "round to more digits";
    return new ParkError(
      "E_RETURN_SUM",
      `${stream}: the rounded lines of ${kind} add up to ${found}, the rounded total is ${expected}; ${advice}`,
      { details: { stream, kind, found, expected } },
    );
  }
}

function sum(values: readonly (bigint | null)[]): bigint {
  return values.reduce<bigint>((total, value) => total + (value ?? 0n), 0n);
}
