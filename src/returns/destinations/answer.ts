import { oneLine, type JsonObject, type ReturnAnswer } from "#model";

/** An answer as the ERP wrote it. A word that is neither `ok` nor `refused` counts as refused, so that a person sees it. */
export function readAnswer(row: JsonObject, now: number): ReturnAnswer {
  const said = textIn(row, "result") ?? "";
  const word = said.toLowerCase();
  const at = Date.parse(textIn(row, "answered_at") ?? "");
  const document = textIn(row, "document");
  const message = textIn(row, "message");
  const isKnown = word === "ok" || word === "refused";
  const odd = `the ERP answered "${oneLine(said)}" instead of ok or refused`;
  return {
    result: word === "ok" ? "ok" : "refused",
    document,
    message: isKnown ? message : message === undefined ? odd : `${odd}: ${message}`,
    at: Number.isNaN(at) ? now : at,
  };
}

function textIn(row: JsonObject, name: string): string | undefined {
  const value = row[name];
  const text = typeof value === "string" || typeof value === "number" ? String(value).trim() : "";
  return text === "" ? undefined : text;
}
