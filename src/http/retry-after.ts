/**
 * What a Retry-After header asks for, in milliseconds: seconds or a date; undefined when it says neither. A date is the
 * other side's: `date`, the answer's own Date header, is by the same clock; without one it is compared with `now`, ours.
 */
export function retryAfterMs(header: string | undefined, now: number, date?: string): number | undefined {
  const text = header?.trim() ?? "";
  if (text === "") return undefined;
  if (/^\d+(\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000);
  const at = Date.parse(text);
  if (Number.isNaN(at)) return undefined;
  const saidAt = Date.parse(date ?? "");
  return Math.max(0, at - (Number.isNaN(saidAt) ? now : saidAt));
}
