import { vi } from "vitest";
import type { Place } from "../place.ts";

/** A login of SQL Server and its user in one database, until the test ends. */
export interface TestLogin extends AsyncDisposable {
  /** The database, as this login opens it. */
  readonly url: string;
  /** Grants it what `rights` say, such as `select on items`. */
  grant(rights: string): Promise<void>;
}

const password = "Svcsync-test-1";
let count = 0;

/** A login that may do nothing yet. Whatever it opened must be closed before it is disposed of. */
export async function openLogin({ writer, url }: Place): Promise<TestLogin> {
  const name = `svcsync_test_${process.pid}_login_${++count}`;
  await writer.run(`create login ${name} with password = '${password}'`);
  await writer.run(`create user ${name} for login ${name}`);
  const granted: string[] = [];
  const own = new URL(url);
  own.username = name;
  own.password = password;
  return {
    url: own.href,
    async grant(rights) {
      await writer.run(`grant ${rights} to ${name}`);
      granted.push(rights);
    },
    async [Symbol.asyncDispose]() {
      // Babelfish drops no user that has rights.
      for (const rights of granted) await writer.run(`revoke ${rights} from ${name}`);
      await writer.run(`drop user ${name}`);
      // A connection that is still closing keeps its login.
      await vi.waitFor(() => writer.run(`drop login ${name}`), { timeout: 60_000, interval: 50 });
    },
  };
}
