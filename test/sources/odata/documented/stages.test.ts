import { describe, expect, it } from "vitest";
import { Comparison } from "../../../erps/comparison.ts";
import { startCentral } from "../../../erps/documented/central.ts";
import { startHana } from "../../../erps/documented/hana.ts";
import type { LocalErp } from "../../../erps/documented/local-erp.ts";
import { startErpNext } from "../../../erps/documented/erpnext.ts";
import { startOne } from "../../../erps/documented/one.ts";
import { startWeclapp } from "../../../erps/documented/weclapp.ts";
import { startXentral } from "../../../erps/documented/xentral.ts";
import { SetClock } from "../../../kit/clock.ts";
import { Mirror } from "./mirror.ts";

// The stages of docs/erps.md without a service and without waiting: `npm run erps` plays them with both.

const erps = {
  businessCentral: startCentral,
  s4hana: startHana,
  businessOne: startOne,
  erpnext: startErpNext,
  weclapp: startWeclapp,
  xentral: startXentral,
};
const MINUTE = 60_000;

interface Parts {
  readonly erp: LocalErp;
  readonly mirror: Mirror;
  readonly clock: SetClock;
  readonly differences: () => Promise<string[]>;
}

describe.each(Object.entries(erps))("the preset %s, against the documented behaviour", (preset, start) => {
  async function story(play: (parts: Parts) => Promise<void>, size?: number) {
    const clock = new SetClock(Date.parse("2026-03-02T10:00:00Z"));
    await using erp = await start(clock);
    await erp.seed();
    await using mirror = await Mirror.open(preset, erp.environment, clock, size);
    const comparison = new Comparison(erp, mirror);
    await play({ erp, mirror, clock, differences: () => comparison.complaints() });
  }

  /** A story that begins after the first load. */
  const loaded: typeof story = (play) =>
    story(async (parts) => {
      await parts.mirror.poll();
      expect(await parts.differences()).toEqual([]);
      await play(parts);
    });

  it("loads all records, and its check finds no problem", () =>
    loaded(async ({ mirror }) => {
      expect(await mirror.problems()).toEqual([]);
    }));

  it("follows changes, round after round", () =>
    loaded(async ({ erp, mirror, clock, differences }) => {
      for (let round = 0; round < 3; round++) {
        clock.advance(MINUTE);
        await erp.change();
        clock.advance(MINUTE);
        await mirror.poll();
        expect(await differences()).toEqual([]);
      }
    }));

  it("follows the next morning's changes", () =>
    loaded(async ({ erp, mirror, clock, differences }) => {
      clock.advance(21 * 60 * MINUTE);
      await erp.change();
      await mirror.poll();
      expect(await differences()).toEqual([]);
    }));

  it("finds by a sweep what an access rule hid and shows again", () =>
    loaded(async ({ erp, mirror, clock, differences }) => {
      for (const { hide, show } of erp.disguises)
        for (const act of [hide, show]) {
          clock.advance(MINUTE);
          await act();
          await mirror.poll();
          await mirror.sweep();
          expect(await differences()).toEqual([]);
        }
    }));

  it("sees a change that was stamped minutes before it could be seen", () =>
    loaded(async ({ erp, mirror, clock, differences }) => {
      clock.advance(MINUTE);
      const commit = await erp.writeLate();
      clock.advance(5 * MINUTE);
      await erp.change();
      await mirror.poll();
      await commit();
      clock.advance(MINUTE);
      await mirror.poll();
      expect(await differences()).toEqual([]);
    }));

  it("finds by a sweep what was deleted", () =>
    loaded(async ({ erp, mirror, clock, differences }) => {
      clock.advance(MINUTE);
      await erp.remove();
      await mirror.poll();
      await mirror.sweep();
      expect(await differences()).toEqual([]);
    }));

  it("says for every stream that the password is wrong, asks no more often than needed, and goes on afterwards", () =>
    loaded(async ({ erp, mirror, clock, differences }) => {
      await erp.password.change();
      await erp.change();
      const codes = await mirror.codes();
      expect(new Set(Object.values(codes))).toEqual(new Set(["E_SOURCE_LOGIN"]));
      expect(await erp.password.refused()).toBeLessThanOrEqual(2 * mirror.streams.length);
      await erp.password.restore();
      clock.advance(MINUTE);
      await mirror.poll();
      expect(await differences()).toEqual([]);
    }));

  it("goes on after a restart where it stopped", () =>
    loaded(async ({ erp, mirror, clock, differences }) => {
      clock.advance(MINUTE);
      await erp.change();
      await mirror.restart();
      await mirror.poll();
      expect(await differences()).toEqual([]);
    }));

  it("ends a first load that was killed after each page", () =>
    story(async ({ mirror, differences }) => {
      for (let kill = 0; kill < 5; kill++) {
        await mirror.poll(1);
        await mirror.restart();
      }
      await mirror.poll();
      expect(await differences()).toEqual([]);
    }, 7));

  it("says what the user may not read, takes nothing for deleted, and goes on afterwards", () =>
    loaded(async ({ erp, mirror, clock, differences }) => {
      erp.local.deny(true);
      const codes = await mirror.codes();
      expect(codes["customers"]).toMatch(/^E_SOURCE_(FORBIDDEN|REQUEST)$/);
      expect(codes["orders"]).toBeUndefined();
      await expect(mirror.sweep()).rejects.toMatchObject({ code: codes["customers"] });
      erp.local.deny(false);
      clock.advance(MINUTE);
      await mirror.poll();
      await mirror.sweep();
      expect(await differences()).toEqual([]);
    }));
});
