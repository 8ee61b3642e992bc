import { z } from "zod";
import { DEFAULT_TOKEN } from "#sandbox";
import { isJsonObject, type Json, type JsonObject } from "#model";

const PAGE = 50;

/** Reads one record with plain HTTP. */
export async function readOne(url: string, resource: string, id: number): Promise<JsonObject> {
  const response = await fetch(`${url}/restApi/v1/${resource}/${id}?fields=*`, {
    headers: { authorization: `Bearer ${DEFAULT_TOKEN}` },
  });
  if (!response.ok) throw new Error(`the service answered ${response.status} to ${resource} ${id}`);
  const record: Json = z.json().parse(await response.json());
  if (!isJsonObject(record)) throw new Error(`the service answered no record for ${resource} ${id}`);
  return record;
}

/** Reads a resource of the service whole with plain HTTP, written from its reference, past svcsync's own client. */
export async function readAll(url: string, resource: string): Promise<JsonObject[]> {
  const records: JsonObject[] = [];
  for (;;) {
    const response = await fetch(
      `${url}/restApi/v1/${resource}?fields=*&limit=${PAGE}&offset=${records.length}&sortings=id%20asc`,
      {
        headers: { authorization: `Bearer ${DEFAULT_TOKEN}` },
      },
    );
    if (!response.ok) throw new Error(`the service answered ${response.status} to a list of ${resource}`);
    const answer: Json = z.json().parse(await response.json());
    const page = isJsonObject(answer) ? answer[resource] : undefined;
    if (!Array.isArray(page)) throw new Error(`the service answered no list of ${resource}`);
    records.push(...page.filter(isJsonObject));
    if (page.length < PAGE) return records;
  }
}
