import { contactKey, ownerOf } from "./erp-actor.ts";
import { keyInInfo } from "./expected.ts";
import type { World } from "./rig.ts";
import { readAll, readOne } from "./service-reader.ts";
import { isMove } from "./verdict.ts";

/** What became of the contacts that changed their customer in the ERP. */
export interface MovesAudit {
  readonly facts: Readonly<Record<string, number>>;
  readonly wrong: readonly string[];
}

/**
 * Reads each contact that was moved, one by one, and the customer that it hangs on. A contact whose customer never comes stays
 * where it was.
 */
export async function auditMoves({ erp, sandbox }: World, moved: ReadonlySet<string>): Promise<MovesAudit> {
  const ids = new Map(
    (await readAll(sandbox.url, "customerContact")).map((each) => [keyInInfo(each), Number(each["id"])]),
  );
  const customers = new Map((await readAll(sandbox.url, "customer")).map((each) => [each["customerId"], each["id"]]));
  const wrong: string[] = [];
  let proven = 0;
  for (const row of erp.all("contacts")) {
    const [key, owner] = [contactKey(row), ownerOf(row)];
    const id = ids.get(key);
    if (row.deleted || !moved.has(key) || !customers.has(owner) || id === undefined) continue;
    const { customer } = await readOne(sandbox.url, "customerContact", id);
    if (customer === customers.get(owner)) proven += 1;
    else wrong.push(`contact ${key} (${id}) hangs on customer ${JSON.stringify(customer)}, the ERP says ${owner}`);
  }
  const sent = sandbox.ledger.writes({ resource: "customerContact", action: "edit" });
  const edits = sent.filter(({ dropped = [] }) => dropped.includes("customer"));
  wrong.push(...edits.map(({ id }) => `contact ${id} was sent its customer in an edit, which drops it`));
  return {
    facts: {
      contactsMoved: moved.size,
      movesSent: sent.filter(({ sent: body, dropped = [] }) => dropped.length === 0 && isMove("customerContact", body))
        .length,
      movesProvenByReads: proven,
      contactsOnTheWrongCustomer: wrong.length,
    },
    wrong,
  };
}
