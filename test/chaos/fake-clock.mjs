// Loaded into the daemon before everything else: moves its wall clock by the milliseconds that a file holds, whenever the
// file says so. Timers and the monotonic clock are left alone, as they are when somebody sets a machine's clock.
import { readFileSync } from "node:fs";

const file = process.env["CHAOS_CLOCK_FILE"];
const RealDate = Date;
let offsetMs = 0;

function look() {
  try {
    offsetMs = Number(readFileSync(file, "utf8")) || 0;
  } catch {
    offsetMs = 0;
  }
}

globalThis.Date = class extends RealDate {
  constructor(...parts) {
    if (parts.length === 0) super(RealDate.now() + offsetMs);
    else super(...parts);
  }

  static now() {
    return RealDate.now() + offsetMs;
  }
};

if (file !== undefined) {
  look();
  setInterval(look, 100).unref();
}
