/** Amounts are whole numbers of 10^-30, so that sums of them are exact. */
const SCALE = 30;
/**
 * The service's doubles are decimals that people entered, or milliseconds divided by an expression. At so many digits behind the point the noise of such
 * a division is gone, also from a sum of some thousand.
 */
const TRUE_DIGITS = 10;
/** What an inbox takes: a decimal with four digits behind the point and fourteen before it. */
const INBOX_DIGITS = 4;
const TOO_LARGE = 1e14;

/** The amount that a double stands for: the shortest decimal that is this double. Undefined if it is too large for an inbox. */
export function exactOf(value: number): bigint | undefined {
  if (!(Math.abs(value) < TOO_LARGE)) return undefined;
  const [mantissa = "0", exponent = "0"] = value.toExponential().split("e");
  const [whole = "0", behind = ""] = mantissa.split(".");
  const shift = SCALE + Number(exponent) - behind.length;
  // What is this small is noise itself.
  return shift < 0 ? 0n : BigInt(whole + behind) * 10n ** BigInt(shift);
}

/** The nearest amount with so many digits; half is rounded away from zero. */
export function rounded(exact: bigint, digits: number): bigint {
  return nearest(nearest(exact, TRUE_DIGITS), digits);
}

function nearest(exact: bigint, digits: number): bigint {
  const unit = 10n ** BigInt(SCALE - digits);
  const half = exact < 0n ? -unit / 2n : unit / 2n;
  return ((exact + half) / unit) * unit;
}

/** As decimal text with exactly so many digits, or without `digits` as few as it has. Undefined if it has more than four. */
export function decimalText(exact: bigint, digits?: number): string | undefined {
  const value = nearest(exact, TRUE_DIGITS);
  const size = (value < 0n ? -value : value).toString().padStart(SCALE + 1, "0");
  const behind = size.slice(-SCALE);
  if (/[1-9]/.test(behind.slice(digits ?? INBOX_DIGITS))) return undefined;
  const shown = digits === undefined ? behind.replace(/0+$/, "") : behind.slice(0, digits);
  const text = size.slice(0, -SCALE) + (shown === "" ? "" : `.${shown}`);
  return value < 0n ? `-${text}` : text;
}
