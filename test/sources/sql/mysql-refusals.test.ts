import { describe, expect, it } from "vitest";
import { mysqlInbox } from "../../../src/sources/sql/mysql/mysql-inbox.ts";
import { settings } from "../../../src/sources/sql/settings.ts";

const inbox = mysqlInbox(settings.parse({ url: "mysql://erp@127.0.0.1/erp" }));

describe("an error of an inbox in MySQL or MariaDB", () => {
  it.each(["ER_TRUNCATED_WRONG_VALUE_FOR_FIELD", "ER_IMPOSSIBLE_STRING_CONVERSION", "ER_DATA_TOO_LONG"])(
    "concerns one return where its value does not fit: %s",
    (code) => expect(inbox.isRefused(Object.assign(new Error("refused"), { code }))).toBe(true),
  );

  it.each(["ER_NO_SUCH_TABLE", "ER_LOCK_WAIT_TIMEOUT", "ER_TABLEACCESS_DENIED_ERROR"])(
    "concerns all returns otherwise: %s",
    (code) => expect(inbox.isRefused(Object.assign(new Error("refused"), { code }))).toBe(false),
  );
});
