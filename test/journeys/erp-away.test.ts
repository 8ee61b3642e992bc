import { describe, expect, it } from "vitest";
import { customersAndShop } from "../setup/customers-stream.ts";
import { startWebServer } from "../kit/http.ts";
import { only, setStage, until, untilState } from "./stage.ts";

describe("an ERP that vanishes", () => {
  it("stops its own streams alone, says so once, and is followed again when it is back", async () => {
    const rows = [{ id: "1", name: "Käufer eins" }];
    let isAway = false;
    await using shop = await startWebServer(() => (isAway ? { cut: "midBody" } : { body: { rows } }));
    await using stage = await setStage({ syncFile: customersAndShop(shop.url) });
    stage.erp.insertCustomer({ customer_no: "10001" });
    await using running = await stage.start();
    const { store, log } = running;
    const customer = { stream: "customers", key: "10001" };
    await untilState(store, "applied", customer, { stream: "buyers", key: "1" });

    isAway = true;
    rows.push({ id: "2", name: "Käufer zwei" });
    await until("the shop's stream fails", async () => (await store.stream("buyers")).error !== undefined);
    stage.erp.renameCustomer("10001", "Trotzdem GmbH");
    await until(
      "the other ERP's change arrived",
      () => only(stage.sandbox, "customer", "customerId", "10001")["name"] === "Trotzdem GmbH",
    );
    await until("the shop failed again and again", () => log.lines("poll failed again").length > 2);
    expect(log.lines("poll failed").filter(({ stream }) => stream === "buyers")).toHaveLength(1);
    expect((await store.stream("customers")).error).toBeUndefined();
    expect(stage.sandbox.records("customer")).toHaveLength(2);

    isAway = false;
    await untilState(store, "applied", { stream: "buyers", key: "2" });
    expect(only(stage.sandbox, "customer", "customerId", "S2")["name"]).toBe("Käufer zwei");
    // The poll may end after what it read was delivered.
    await until("its end is told", () => log.lines("polls succeed again").length === 1);
    expect((await store.stream("buyers")).error).toBeUndefined();
  });
});
