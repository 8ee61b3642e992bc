import { describe, expect, it } from "vitest";
import { RetryError } from "#model";
import { Presence } from "../../src/pipeline/match/presence.ts";
import { ServiceRefusal, unknownResource } from "../../src/service/transport/failures.ts";
import { never, thrownBy } from "../kit/outcome.ts";

const id = { stream: "orders", key: "1" };
const refusal = new ServiceRefusal("E_SERVICE_REFUSED", "no", 404, { isOwnWord: true });
const unknown = unknownResource("svcDocument", refusal);

/** What becomes of the refusal beside a service that shows the resource, or only others. */
function sober(isShown: boolean): Promise<unknown> {
  const presence = new Presence(
    { boundIds: async () => [], record: async () => undefined },
    { read: async () => undefined, vouch: async () => isShown },
  );
  return thrownBy(presence.sober({ id, binding: undefined }, "svcDocument", never)(unknown));
}

describe("a refusal that says that the tenant has no such resource", () => {
  it("is believed when the service shows other resources only", async () => {
    expect(await sober(false)).toBe(unknown);
  });

  it("is never believed while the service shows the resource, not even in its own words", async () => {
    const thrown = await sober(true);
    expect(thrown).toBeInstanceOf(RetryError);
    expect(thrown).toMatchObject({ code: "E_RESOURCE_UNKNOWN", family: "retry" });
  });
});
