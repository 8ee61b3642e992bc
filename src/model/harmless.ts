/**
 * Forms of values that people mistype and that are no secrets: very short texts, numbers, plain words, host names, time zones. Anything
 * else may be a password in the wrong place.
 */
const harmless = [
  /^.{1,4}$/u,
  /^-?\d{1,9}(\.\d{1,3})?$/,
  /^[a-z]{1,12}$/i,
  /^[a-z-]{1,20}(\.[a-z-]{1,20}){1,3}(:\d{1,5})?$/,
  /^[A-Z][a-z]{2,10}\/[A-Z][A-Za-z_]{2,20}$/,
];

/** Whether an error may show the text, although nothing says that it is no secret. */
export function isHarmless(text: string): boolean {
  return harmless.some((form) => form.test(text));
}
