import { afterAll } from "vitest";
import { postgresPlaces } from "../store/postgres-place.ts";
import { describeStore } from "./store-contract.ts";

const places = postgresPlaces();
afterAll(() => places.end());

describeStore("postgres", () => places.make());
