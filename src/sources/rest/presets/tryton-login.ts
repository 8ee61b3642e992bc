import { z } from "zod";
import { ParkError } from "#model";
import { jsonOf, openLogin, refuseUnlessOk, session, type Login, type LoginParts } from "../wire.ts";
import type { RestSettings } from "../schema.ts";

const loginAnswer = z.object({ result: z.tuple([z.int(), z.string().min(1)]) });

/**
 * Tryton hashes the password of every request that brings one, which takes it a quarter of a second. So user and password are
 * exchanged for a session, once; Tryton answers 401 when it has ended. Other ways to log in stay what they are.
 */
export function openTrytonLogin(auth: RestSettings["auth"], parts: LoginParts): Login {
  if (auth.kind !== "basic") return openLogin(auth, parts);
  const { username, password } = auth;
  const { baseUrl: url, http, clock } = parts;
  return session([password], parts, async (signal) => {
    const json = { id: 0, method: "common.db.login", params: [username, { password }] };
    const answer = await http.call({ method: "POST", url, json, signal });
    refuseUnlessOk(answer, url, clock.now());
    const parsed = loginAnswer.safeParse(jsonOf(answer, url));
    if (!parsed.success)
      throw new ParkError(
        "E_SOURCE_LOGIN",
        `${url}: Tryton refused the login of ${username}, or wants more than a password`,
      );
    const [id, key] = parsed.data.result;
    const proof = Buffer.from(`${username}:${id}:${key}`).toString("base64");
    return { headers: { authorization: `Session ${proof}` }, lifeMs: Number.POSITIVE_INFINITY, secrets: [key, proof] };
  });
}
