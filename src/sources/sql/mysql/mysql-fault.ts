import type { ErrorCode } from "#model";
import type { Fault } from "../engines/engine.ts";
import { errorCode, errorText, networkFault } from "../engines/network-fault.ts";

/** Error names of MySQL and MariaDB, as the driver spells them. */
const names: Readonly<Record<string, ErrorCode>> = {
  ER_ACCESS_DENIED_ERROR: "E_SOURCE_LOGIN",
  ER_ACCESS_DENIED_NO_PASSWORD_ERROR: "E_SOURCE_LOGIN",
  ER_HOST_NOT_PRIVILEGED: "E_SOURCE_LOGIN",
  ER_BAD_DB_ERROR: "E_SOURCE_DATABASE",
  ER_DBACCESS_DENIED_ERROR: "E_SOURCE_FORBIDDEN",
  ER_TABLEACCESS_DENIED_ERROR: "E_SOURCE_FORBIDDEN",
  ER_COLUMNACCESS_DENIED_ERROR: "E_SOURCE_FORBIDDEN",
  ER_SPECIFIC_ACCESS_DENIED_ERROR: "E_SOURCE_FORBIDDEN",
  ER_NO_SUCH_TABLE: "E_SOURCE_TABLE",
  ER_BAD_FIELD_ERROR: "E_SOURCE_COLUMN",
  ER_QUERY_TIMEOUT: "E_SOURCE_TIMEOUT",
  ER_STATEMENT_TIMEOUT: "E_SOURCE_TIMEOUT",
  ER_LOCK_WAIT_TIMEOUT: "E_SOURCE_BUSY",
  ER_LOCK_DEADLOCK: "E_SOURCE_BUSY",
  ER_CON_COUNT_ERROR: "E_SOURCE_BUSY",
  ER_USER_LIMIT_REACHED: "E_SOURCE_BUSY",
  ER_SERVER_SHUTDOWN: "E_SOURCE_UNREACHABLE",
  ER_NEW_ABORTING_CONNECTION: "E_SOURCE_UNREACHABLE",
  ER_CONNECTION_KILLED: "E_SOURCE_UNREACHABLE",
  PROTOCOL_SEQUENCE_TIMEOUT: "E_SOURCE_TIMEOUT",
  HANDSHAKE_NO_SSL_SUPPORT: "E_SOURCE_TLS",
  HANDSHAKE_SSL_ERROR: "E_SOURCE_TLS",
};

/** MariaDB's numbers that the driver has no name for: max_statement_time exceeded. */
const mariadbTimeout = 1969;

export function mysqlFault(error: unknown): Fault | undefined {
  const code = errorCode(error);
  const number = typeof error === "object" && error !== null && "errno" in error ? error.errno : undefined;
  if (number === mariadbTimeout) return { code: "E_SOURCE_TIMEOUT" };
  const known = code === undefined ? undefined : names[code];
  if (known !== undefined) return { code: known, subject: /'([^']+)'/.exec(errorText(error))?.[1] };
  if (/closed state|server closed the connection|Connection lost/.test(errorText(error)))
    return { code: "E_SOURCE_UNREACHABLE" };
  return networkFault(error);
}
