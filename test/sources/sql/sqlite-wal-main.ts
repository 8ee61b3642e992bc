import { errorFacts, systemClock } from "#model";
import { adapters } from "#sources";
import { never } from "../../kit/outcome.ts";
import { openContext } from "../reading.ts";

/** Reads the keys of a SQLite file as another user, and prints them with what the source's check says, or the error. */
const [, , path = "", uid = ""] = process.argv;
const adapter = adapters.get("sql")!;

async function read(file: string): Promise<object> {
  const source = await adapter.open(adapter.settings.parse({ url: `sqlite:${file}` }), openContext(systemClock));
  const stream = source.stream("items", adapter.read.parse({ table: "items", key: "nr" }));
  const keys: string[] = [];
  try {
    for await (const some of stream.keys(never)) keys.push(...some);
    return { keys, said: (await source.check(never)).map(({ message }) => message).join("; ") };
  } catch (thrown) {
    return { error: errorFacts(thrown) };
  } finally {
    await source[Symbol.asyncDispose]();
  }
}

// Everything is imported as long as this user may read it.
await read("/nowhere/erp.db");
process.setgid!(Number(uid));
process.setuid!(Number(uid));
process.stdout.write(JSON.stringify(await read(path)));
