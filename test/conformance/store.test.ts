import { sqlitePlace } from "../store/sqlite-place.ts";
import { describeStore } from "./store-contract.ts";

describeStore("sqlite", sqlitePlace);
