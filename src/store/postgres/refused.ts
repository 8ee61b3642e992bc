import { z } from "zod";
import type { Binding, RecordId } from "#model";
import { alreadyBound, claimLost, refused, unknownRecord } from "../refusals.ts";
import { Refusal } from "./connection/failures.ts";
import { originalText } from "./text.ts";

const text = z.string().transform(originalText);
const owner = z.object({ stream: text, key: text });

/** Turns a refusal of a record's step into an error of the contract. `binding` is the binding that was attempted. */
export async function refusable<T>(id: RecordId, step: Promise<T>, binding?: Binding): Promise<T> {
  try {
    return await step;
  } catch (thrown) {
    throw thrown instanceof Refusal ? refusalOf(thrown, id, binding) : thrown;
  }
}

function refusalOf(refusal: Refusal, id: RecordId, binding: Binding | undefined): Error {
  const { code, detail } = refusal;
  if (code === "E_CLAIM_LOST") return claimLost(id);
  if (code === "E_RECORD_UNKNOWN") return unknownRecord(id);
  if (code === "E_ALREADY_BOUND" && binding) return alreadyBound(id, binding, owner.parse(JSON.parse(detail)));
  return code === "E_STORE_STATE" ? refused({ id }, detail) : refusal;
}
