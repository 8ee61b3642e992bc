import { writeSync } from "node:fs";
import { openDelivery } from "./delivery.ts";

// Delivers what is due and dies by kill -9, or stands still by another signal, at one step: between the n-th call that the delivery awaits from its store or its
// service and the one before it, or at the first step of a given name. Where there is none it ends by itself with code 0.
const [envFile = "", fatal = "0", signal = "SIGKILL"] = process.argv.slice(2);
/** Members that are not awaited. */
const IMMEDIATE = new Set(["state", "list"]);
let steps = 0;
let ended = "the start";

function step(next: string): void {
  steps += 1;
  const name = `after ${ended}, before ${next}`;
  if (steps !== Number(fatal) && name !== fatal) return;
  writeSync(1, name);
  process.kill(process.pid, signal);
  // Nothing may happen between the signal and the end. One that was stopped continues here.
  if (signal === "SIGKILL") Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

function counted<Part extends object>(part: string, target: Part): Part {
  return new Proxy(target, {
    get(object, property) {
      const member: unknown = Reflect.get(object, property, object);
      if (typeof member !== "function" || typeof property === "symbol") return member;
      if (IMMEDIATE.has(property)) return member.bind(object);
      return async (...args: unknown[]) => {
        step(`${part}.${property}`);
        const result: unknown = await Reflect.apply(member, object, args);
        ended = `${part}.${property}`;
        return result;
      };
    },
  });
}

const delivery = await openDelivery(envFile, counted);
await delivery.drain();
step("the end");
await delivery[Symbol.asyncDispose]();
