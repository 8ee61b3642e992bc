import { describe, expect, it } from "vitest";
import { errorFacts, RetryError, WaitError } from "#model";
import { Presence } from "../../src/pipeline/counterpart/presence.ts";
import { ServiceRefusal, unknownResource } from "../../src/service/transport/failures.ts";
import { never, thrownBy } from "../kit/outcome.ts";

const id = { stream: "orders", key: "1" };
const refusal = new ServiceRefusal("E_SERVICE_REFUSED", "no", 404, { isOwnWord: true });
const unknown = unknownResource("svcDocument", refusal);

/** What becomes of the refusal beside a service that shows the resource, or only others. */
function verifyRefusal(isShown: boolean): Promise<unknown> {
  const presence = new Presence(
    { boundIds: async () => [], record: async () => undefined },
    { read: async () => undefined, vouch: async () => isShown },
  );
  return thrownBy(presence.verifyRefusal({ id, binding: undefined }, "svcDocument", never)(unknown));
}

describe("a refusal that says that the tenant has no such resource", () => {
  it("is believed when the service shows other resources only", async () => {
    expect(await verifyRefusal(false)).toBe(unknown);
  });

  it("is never believed while the service shows the resource, not even in its own words", async () => {
    const thrown = await verifyRefusal(true);
    expect(thrown).toBeInstanceOf(RetryError);
    expect(thrown).toMatchObject({ code: "E_RESOURCE_UNKNOWN", family: "retry" });
  });
});

describe("records that vouch for the service", () => {
  const bound = [1, 2, 3, 4, 5, 6, 7];

  /** A service that shows only some of the bound records, and no list. */
  function beside(shown: readonly number[]) {
    const asked: (readonly number[])[] = [];
    const presence = new Presence(
      { boundIds: async (_resource, limit) => bound.slice(0, limit), record: async () => undefined },
      {
        read: async () => undefined,
        vouch: async (_resource, known) => {
          asked.push(known);
          if (known.some((each) => shown.includes(each))) return true;
          throw new WaitError("E_SERVICE_DOUBTED", "none is shown");
        },
      },
    );
    const isGone = async (serviceId = 9) => {
      const read = presence.read("svcDocument", serviceId, ["id"], never);
      return await read.then(
        () => "gone",
        (thrown: unknown) => errorFacts(thrown).code,
      );
    };
    return { asked, isGone };
  }

  it("are others after none of the first ones was shown: people may have deleted those", async () => {
    const { asked, isGone } = beside([5]);
    await isGone();
    expect(await isGone()).toBe("gone");
    expect(await isGone()).toBe("gone");
    expect(asked.slice(0, 4)).toEqual([
      [1, 2, 3],
      [4, 5, 6],
      [4, 5, 6],
      [4, 5, 6],
    ]);
  });

  it("are the first ones again after all were asked in vain, and never the record in question", async () => {
    const { asked, isGone } = beside([]);
    for (let at = 0; at < 4; at++) await isGone(2);
    expect(asked).toEqual([
      [1, 3, 4],
      [5, 6, 7],
      [1, 3, 4],
      [5, 6, 7],
    ]);
  });

  it("stay the same while one of them is shown", async () => {
    const { asked, isGone } = beside([1]);
    for (let at = 0; at < 2; at++) expect(await isGone()).toBe("gone");
    expect(new Set(asked.map(String))).toEqual(new Set(["1,2,3"]));
  });
});
