import { isJsonObject, type Json, type JsonObject } from "#model";
import type { Dice } from "../../chaos/dice.ts";
import { json, shown, withBody, type Mutation, type Scene } from "../exchange.ts";
import { hostileId, hostileStamp, hostileText, hostileValue } from "../hostile.ts";

const STAMP = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/;

/** A place in a JSON value: its owner and its name there. */
interface Spot {
  readonly owner: JsonObject | Json[];
  readonly name: string | number;
  readonly value: Json;
}

/** Mutates the parsed body; `change` returns false where it found nothing to change. */
function onJson(change: (body: { root: Json }, scene: Scene) => boolean): Mutation {
  return (answer, scene) => {
    let root: Json;
    try {
      root = JSON.parse(answer.body.toString("utf8"));
    } catch {
      return undefined;
    }
    const body = { root };
    return change(body, scene) ? shown(withBody(answer, json(body.root))) : undefined;
  };
}

/** Values of another shape than the place wants, names that go missing, entries that are none. */
export const structure = onJson((body, { dice, trusted }) => {
  const spots = spotsOf(body.root).filter(({ name }) => !trusted.has(String(name)));
  if (spots.length === 0) return false;
  const { owner, name } = dice.pick(spots);
  const deed = dice.pick(["replace", "replace", "delete", "rename", "wrap"]);
  if (Array.isArray(owner)) owner.splice(Number(name), deed === "delete" ? 1 : 0, hostileValue(dice));
  else if (deed === "delete") delete owner[name];
  else if (deed === "rename") {
    owner[hostileText(dice)] = owner[name]!;
    delete owner[name];
  } else owner[name] = deed === "wrap" ? [owner[name]!] : otherKind(owner[name]!, dice);
  return true;
});

/** Ids that are none, in records and in links. */
export const ids = onJson((body, { dice }) => {
  const spots = spotsOf(body.root).filter(
    ({ name, value }) => name === "id" || (typeof value === "number" && value > 0),
  );
  if (spots.length === 0) return false;
  const { owner, name } = dice.pick(spots);
  put(owner, name, hostileId(dice));
  return true;
});

/** Stamps of the future, of the past and of no calendar. */
export const stamps = onJson((body, { dice }) => {
  const spots = spotsOf(body.root).filter(({ value }) => typeof value === "string" && STAMP.test(value));
  if (spots.length === 0) return false;
  for (const { owner, name } of dice.chance(0.2) ? spots : [dice.pick(spots)]) put(owner, name, hostileStamp(dice));
  return true;
});

/** Rows twice, in another order, beside things that are no rows; numbers that contradict them. */
export const lists = onJson((body, { dice, earlier }) => {
  const list = spotsOf({ root: body.root }).find(({ value }) => Array.isArray(value) && value.some(isJsonObject));
  if (!list || !Array.isArray(list.value)) return false;
  const rows = list.value;
  return dice.weighted<() => boolean>([
    [2, () => rows.push(...structuredClone(rows.slice(0, dice.between(1, 5)))) > 0],
    [2, () => rows.splice(0, rows.length, ...rows.toReversed()).length > 1],
    [
      2,
      () =>
        rows.splice(dice.between(0, rows.length), 0, dice.pick<Json>([null, 7, "x", [], {}, { id: null }])) !== null,
    ],
    [2, () => isJsonObject(body.root) && put(body.root, "totalCount", dice.pick<Json>([0, -1, 1e9, "12", null, {}]))],
    [1, () => isJsonObject(body.root) && put(body.root, dice.pick(["offset", "limit"]), hostileId(dice))],
    [2, () => earlier !== undefined && put(body, "root", JSON.parse(earlier.body.toString("utf8")))],
  ])();
});

function put(owner: JsonObject | Json[], name: string | number, value: Json): boolean {
  if (Array.isArray(owner)) owner[Number(name)] = value;
  else owner[name] = value;
  return true;
}

/** Of a text a plausible other text would be a lie that nobody can see: it becomes something else. */
function otherKind(value: Json, dice: Dice): Json {
  const hostile = hostileValue(dice);
  return typeof hostile === typeof value && typeof value === "string" ? dice.pick<Json>([7, true, {}, []]) : hostile;
}

function spotsOf(value: Json): Spot[] {
  if (Array.isArray(value))
    return value.flatMap((entry, name) => [{ owner: value, name, value: entry }, ...spotsOf(entry)]);
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, entry]) => [{ owner: value, name, value: entry }, ...spotsOf(entry)]);
}
