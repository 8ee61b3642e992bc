import { memoryPlace } from "../store/memory-place.ts";
import { sqlitePlace } from "../store/sqlite-place.ts";
import { describeStore } from "./store-contract.ts";

describeStore("sqlite", sqlitePlace);
// What two processes do to one file cannot happen to a store that has none.
describeStore("in-memory", memoryPlace, { isOneProcess: true });
