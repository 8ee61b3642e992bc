export { startSandbox, type Sandbox, type SandboxOptions } from "./sandbox.ts";
export {
  DEFAULT_ACCOUNT,
  DEFAULT_TOKEN,
  accountFromText,
  tokenFromText,
  type Account,
  type StaticToken,
} from "./account.ts";
export { switchFromText, switchSpellings, type Switches } from "./switches.ts";
export type { ArmedFault, Fault } from "./faults/fault.ts";
export { faultFromText, faultMembers } from "./faults/checked-fault.ts";
export type { Ledger, RequestEntry, RequestQuery, WriteEntry, WriteQuery } from "./ledger.ts";
export type { StoredRecord, WriteAction } from "./records/version.ts";
export { createSampleErp, type SampleErp, type SampleErpOptions } from "./erp/sample-erp.ts";
export type { ContactRow, CustomerRow, ErpRows, ErpTable, ErpValue, ServiceOrderRow, TicketRow } from "./erp/schema.ts";
