import type { SampleErp } from "#sandbox";
import type { Operator } from "../operator.ts";

/** Codes of a command that did its work, found something to tell, or has to be given again. */
const FINE = [0, 1, 2, 75];
/** What a command may meet while the store is restarted. */
const STORE_AWAY = /E_STORE_(UNREACHABLE|LOCKED)/;

/** What a person runs while everything else goes wrong; none of it changes what the service should hold in the end. */
export function commandsOf(erp: SampleErp): readonly string[][] {
  const { customer_no } = erp.all("customers")[0]!;
  return [
    ["status", "--json"],
    ["replicas", "--json"],
    ["explain", `customers/${customer_no}`],
    ["retry"],
    ["retry", "tickets"],
    ["records", "--json"],
    ["groups"],
    ["history"],
    ["plan"],
    ["poll", "customers"],
    ["reread", "customers", customer_no],
    ["pause", "orders", "--for", "1m", "--why", "the ERP is upgraded"],
    ["resume"],
  ];
}

/** Runs one; resolves to what is wrong with how it ended. */
export async function runCommand(operator: Operator, args: readonly string[]): Promise<string | undefined> {
  const { code, stderr } = await operator.svcsync(...args);
  if (FINE.includes(code ?? -1) || (code === 70 && STORE_AWAY.test(stderr))) return undefined;
  return `svcsync ${args.join(" ")} ended with ${code}: ${stderr.trim().slice(0, 300)}`;
}
