import { isJsonObject, type Json } from "#model";

const MESSAGE_LENGTH = 200;
/** Members that hold an error, and nothing, `false`, 0 or an empty value if there is none. */
const ERRORS =
  /^(error|errors|fault|faults|exception|exc|exc_type|error_?(code|message|description)|_server_messages)$/i;
/** Members that say whether a request succeeded. */
const SUCCESS = /^(success|succeeded|is_?success|ok)$/i;
const FAILED = /^(error|errors|fail|failed|failure|fault|denied|unauthori[sz]ed|forbidden|ko|nok)$/i;
const MESSAGES = /^(message|msg|detail|details|title|reason)$/i;
/** Messages beside an empty list that say no more than that it is empty, or that all is well. */
const HARMLESS = /^\W*$|\b(ok|not found|success\w*|done|no|none|nothing|empty|0|zero|kein\w*)\b/i;
/** What is missing here is not a row. */
const TECHNICAL =
  /\b(api|route|endpoint|module|modul|method|handler|controller|function|class|file|url|uri|page|path|resource|permission|access|licen[cs]e|disabled|deactivated|inactive|error|fail\w*|denied|invalid|expired)\b/i;

/** What an answer says that reports an error; undefined if it reports none. */
export function errorIn(answer: Json): string | undefined {
  if (!isJsonObject(answer)) return undefined;
  for (const [name, value] of Object.entries(answer)) {
    const isError =
      (ERRORS.test(name) && !isNothing(value)) ||
      (SUCCESS.test(name) && (value === false || value === 0 || value === "false")) ||
      (/^(status|state|result|code|status_?code|http_?code)$/i.test(name) && isFailure(value)) ||
      (MESSAGES.test(name) && typeof value === "string" && !saysNoRows(value));
    if (isError) return JSON.stringify({ [name]: value, ...messageOf(answer) }).slice(0, MESSAGE_LENGTH);
  }
  return undefined;
}

/** Whether words say no more than that there are no rows. */
export function saysNoRows(words: string): boolean {
  return HARMLESS.test(words) && !TECHNICAL.test(words);
}

function messageOf(answer: Readonly<Record<string, Json>>): Record<string, Json> {
  return Object.fromEntries(Object.entries(answer).filter(([name]) => MESSAGES.test(name)));
}

function isFailure(value: Json): boolean {
  return typeof value === "string"
    ? FAILED.test(value) || /^[45]\d\d$/.test(value)
    : Number(value) >= 400 && Number(value) < 600;
}

function isNothing(value: Json): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (isJsonObject(value)) return Object.values(value).every(isNothing);
  return value === null || value === false || value === 0 || value === "" || value === "0" || value === "none";
}
