import { json, shown, type Refusal } from "../exchange.ts";

/** A no that is true: the request is not carried out. Credentials and all are repeated now and then. */
export const refusal: Refusal = ({ dice, asked }) => {
  const said = dice.chance(0.3)
    ? `refused ${JSON.stringify(asked.headers)} ${asked.body.toString("utf8").slice(0, 2_000)}`
    : "refused";
  return shown({
    status: dice.pick([400, 402, 403, 404, 405, 409, 410, 413, 422, 429, 429, 501]),
    headers: dice.pick<Record<string, string>>([
      {},
      { "content-type": "application/json" },
      { "retry-after": "0.5" },
      { "retry-after": "-5" },
      { "retry-after": "never" },
    ]),
    body: dice.pick([
      json({ errorMessage: said }),
      json([said]),
      Buffer.from(`<title>${said}</title>`),
      Buffer.alloc(0),
    ]),
  });
};
