import { z } from "zod";
import { splitHosts } from "#model";

/** Schemas of single values: text in, value out, with an error message that states what is expected. */

const msPerSecond = 1000;

export const anyText = z.string().min(1, "some text");

/** A folder that is created if missing. Quotes, `~` and shell variables are refused, because they would become part of its name. */
export const folder = anyText.refine(
  (value) => !/^["'\s~]|["'\s]$|(^|[\\/])(\$\{?[A-Za-z_]|%\w+%)/.test(value),
  "a path without quotes or spaces around it, and without ~ or variables",
);

export function wholeNumber(min: number, max: number) {
  const wanted = `a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^-?\d{1,15}$/, wanted)
    .transform(Number)
    .pipe(z.number().min(min, wanted).max(max, wanted));
}

/** A number of seconds, fractions allowed; the value is in milliseconds. */
export function seconds(min: number, max: number) {
  const wanted = `seconds from ${min} to ${max}`;
  return z
    .string()
    .regex(/^\d{1,9}(\.\d{1,3})?$/, wanted)
    .transform(Number)
    .pipe(z.number().min(min, wanted).max(max, wanted))
    .transform((value) => Math.round(value * msPerSecond));
}

export const yesOrNo = z.enum(["true", "false"], "true or false").transform((value) => value === "true");

export function oneOf<const Words extends readonly [string, ...string[]]>(words: Words) {
  return z.enum(words, eitherOf(words));
}

function eitherOf(words: readonly string[]): string {
  return words.join(", ").replace(/, (?=[^,]*$)/, " or ");
}

/** A value that is sent in an HTTP header unchanged. A copied line break at its end would make every request fail. */
export const token = z
  .string()
  .regex(/^[\x21-\x7e]+$/, "a token of ASCII characters, without spaces and line breaks around or in it");

const longWanted = "a token of at least 16 ASCII characters, without spaces around it";

/** A token that programs send to svcsync: a text that a header can hold unchanged, and too long to be guessed. */
export const longToken = z
  .string()
  .min(16, longWanted)
  .regex(/^[\x21-\x7e][\x20-\x7e]*[\x21-\x7e]$/, longWanted);

/** An address with one of these schemes, e.g. `["https", "http"]`. Addresses of Redis Sentinel may have several hosts. */
export function address(schemes: readonly string[]) {
  const wanted = `an address that begins with ${eitherOf(schemes.map((scheme) => `${scheme}://`))}`;
  return z
    .string()
    .regex(/^\S(.*\S)?$/s, { error: `${wanted}, without spaces and line breaks around it`, abort: true })
    .refine((value) => schemes.includes(schemeOf(value)), { error: wanted, abort: true })
    .refine(
      (value) => (schemeOf(value).endsWith("+sentinel") ? splitHosts(value) !== undefined : URL.canParse(value)),
      { error: "a whole address; in user and password # is %23, / is %2F, : is %3A, @ is %40", abort: true },
    );
}

function schemeOf(value: string): string {
  return /^[a-z+]+(?=:\/\/)/.exec(value)?.[0] ?? "";
}

/** Accepts what `value` accepts, or `none` for undefined. */
export function orNone<Value>(value: z.ZodType<Value, string>, wanted: string): z.ZodType<Value | undefined, string> {
  return z.union([z.literal("none").transform(() => undefined), value], wanted);
}

/** Parses `a=1,b=2` as a record. The names must be resources' or other plain words. */
export const pairs = z
  .string()
  .regex(/^\s*[A-Za-z]\w*\s*=[^=,]+(,\s*[A-Za-z]\w*\s*=[^=,]+)*$/, "pairs such as name=value,other=value")
  .transform((value): Readonly<Record<string, string>> =>
    Object.fromEntries(
      value.split(",").map((pair) => {
        const at = pair.indexOf("=");
        return [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
      }),
    ),
  );

/** Parses `a, b` as a list without empty members. */
export const list = anyText.transform((value) =>
  value
    .split(",")
    .map((member) => member.trim())
    .filter((member) => member !== ""),
);

/** A list with at least one member: `,` is what remains when variables inside the value are not set. */
export const membersList = list.refine((members) => members.length > 0, "at least one, separated by commas");

/** Host names without scheme, port and path. */
export const hostList = list.pipe(
  z.array(z.string().regex(/^[\w-]+(\.[\w-]+)*\.?$/, "names such as svcsync.example.com, without https:// and port")),
);
