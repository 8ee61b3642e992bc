import { vi } from "vitest";
import type { Place } from "../place.ts";
import { openWriter } from "../writer.ts";
import { mssqlUrl } from "./server.ts";

/** A login of SQL Server that may do nothing, until the test ends. It must outlive the databases that it enters. */
export interface TestLogin extends AsyncDisposable {
  readonly name: string;
  /** Makes it a user of this database, and returns the address for it. */
  enter(place: Place): Promise<string>;
}

const password = "Svcsync-test-1";
let count = 0;

export async function openLogin(): Promise<TestLogin> {
  const name = `svcsync_test_${process.pid}_login_${++count}`;
  const admin = await openWriter(mssqlUrl!);
  await admin.run(`create login ${name} with password = '${password}'`);
  return {
    name,
    async enter({ writer, url }) {
      await writer.run(`create user ${name} for login ${name}`);
      const own = new URL(url);
      own.username = name;
      own.password = password;
      return own.href;
    },
    async [Symbol.asyncDispose]() {
      // A connection that is still closing keeps its login.
      await vi.waitFor(() => admin.run(`drop login ${name}`), { timeout: 60_000, interval: 50 });
      await admin[Symbol.asyncDispose]();
    },
  };
}
