import { seededRandom, type Random } from "../random.ts";
import { checkedFault } from "./checked-fault.ts";
import { isFinal, type ArmedFault, type Fault } from "./fault.ts";
import { Limiter } from "./limiter.ts";

/** The request that a fault may hit. */
export interface Target {
  readonly resource: string | undefined;
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  /** Whether a list is read. */
  readonly isList: boolean;
}

interface Armed {
  readonly id: number;
  readonly fault: Fault;
  readonly random: Random;
  readonly path: RegExp | undefined;
  matched: number;
  hits: number;
  /** Allows requests within the limit of a fault that is a limit. */
  readonly limiter: Limiter;
}

const DEFAULT_SEED = 1;

/** The faults that are armed. */
export class Faults {
  /** Valid targets of a fault. */
  readonly #resources: readonly string[];
  #armed: Armed[] = [];
  #lastId = 0;

  constructor(resources: readonly string[]) {
    this.#resources = resources;
  }

  /**
   * Arms a fault and returns its id. The same faults with the same seeds hit the same requests of a sequence.
   * @throws {StopError} E_SANDBOX_FAULT, naming the wrong member.
   */
  add(fault: Fault): number {
    const checked = checkedFault(fault, this.#resources);
    this.#lastId += 1;
    this.#armed.push({
      id: this.#lastId,
      fault: checked,
      random: seededRandom(checked.seed ?? DEFAULT_SEED),
      path: checked.path === undefined ? undefined : wildcard(checked.path),
      matched: 0,
      hits: 0,
      limiter: new Limiter(checked),
    });
    return this.#lastId;
  }

  /** Disarms one fault, or all. */
  clear(id?: number): void {
    this.#armed = id === undefined ? [] : this.#armed.filter((armed) => armed.id !== id);
  }

  list(): ArmedFault[] {
    return this.#armed.map(({ id, fault, matched, hits }) => ({ id, fault, matched, hits }));
  }

  get none(): boolean {
    return this.#armed.length === 0;
  }

  /** The faults that hit this request, in the order in which they were armed. */
  draw(target: Target): Fault[] {
    const struck: Fault[] = [];
    let ended = false;
    for (const armed of this.#armed) {
      if (!aimedAt(armed, target)) continue;
      armed.matched += 1;
      const final = isFinal(armed.fault);
      if ((final && ended) || !strikes(armed)) continue;
      armed.hits += 1;
      struck.push(armed.fault);
      ended ||= final;
    }
    return struck;
  }
}

/**
 * Whether a fault may apply to a request. A login has no token that could be revoked, so it does not count for faults
 * that revoke tokens. Only a list can be empty or lag.
 */
function aimedAt({ fault, path }: Armed, target: Target): boolean {
  if (fault.kind === "revokeTokens" && target.resource === "login") return false;
  if ((fault.kind === "emptyList" || fault.kind === "staleList") && !target.isList) return false;
  if (fault.resource !== undefined && fault.resource !== target.resource) return false;
  if (fault.method !== undefined && fault.method !== target.method) return false;
  return path === undefined || path.test(target.url);
}

function strikes(armed: Armed): boolean {
  const { fault, matched, hits, random } = armed;
  if (armed.limiter.passes()) return false;
  const turn = matched - (fault.skip ?? 0);
  if (turn < 1) return false;
  if (fault.count !== undefined && hits >= fault.count) return false;
  if (fault.every !== undefined && turn % fault.every !== 0) return false;
  return fault.probability === undefined || random() < fault.probability;
}

function wildcard(pattern: string): RegExp {
  const literal = pattern.split("*").map((part) => part.replace(/[\\^$.|?+()[\]{}]/g, "\\$&"));
  return new RegExp(`^${literal.join(".*")}$`);
}
