import { afterAll } from "vitest";
import { describeKilledMove } from "./moving.ts";
import { postgresPlaces } from "./postgres-place.ts";

const places = postgresPlaces();
afterAll(() => places.end());

describeKilledMove(places.make, ["began", "copying contents", "comparing contents", "compared"]);
