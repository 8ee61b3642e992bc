import type { Json } from "#model";
import { HttpFailure, type HttpAnswer } from "#http";
import { exchangeError, notJson } from "./web-errors.ts";

/**
 * Returns an answer's JSON. Other work continues while a large one is parsed, see {@link HttpAnswer.json}.
 * @throws {RetryError} E_SOURCE_ANSWER when the answer is not JSON, such as a proxy's page in place of it.
 * @throws {ParkError} E_SOURCE_ENCODING
 */
export async function jsonOf(answer: HttpAnswer, place: string, parse?: (text: string) => Json): Promise<Json> {
  let json: Json | undefined;
  try {
    json = await answer.json(parse);
  } catch (thrown) {
    const isMalformed = thrown instanceof HttpFailure && thrown.reason === "malformed";
    throw isMalformed ? notJson(answer, place, thrown.cause) : exchangeError(thrown);
  }
  if (json === undefined) throw notJson(answer, place, new SyntaxError("the body is empty"));
  return json;
}
