import { z } from "zod";

const whole = z.int().nonnegative();
const when = z.enum(["before", "during", "after"]);

/** Which requests a fault applies to: all given members must match. */
const aim = {
  /** Neutral name of a resource, or `login` or `logout`. */
  resource: z.string().optional(),
  method: z.enum(["GET", "POST", "PUT", "DELETE"]).optional(),
  /** Path and query as sent, with `*` for anything. */
  path: z.string().optional(),
  /** Skips this many matching requests first. */
  skip: whole.optional(),
  /** Only every n-th matching request. */
  every: whole.min(1).optional(),
  /** Probability per matching request, drawn from `seed`. */
  probability: z.number().min(0).max(1).optional(),
  seed: z.int().optional(),
  /** Ends after this many hits. */
  count: whole.min(1).optional(),
};

export const AIM_MEMBERS: readonly string[] = Object.keys(aim);

const effect = <Shape extends z.ZodRawShape>(shape: Shape) => z.strictObject({ ...aim, ...shape });

/**
 * When something goes wrong: `before` means that nothing is done; `during`, that the client gets the bad news first and
 * the write is committed `commitDelayMs` later; `after`, that the write is committed and only its answer is affected. A
 * latency `during` a request lies between the check of the token and the commit, whatever happens to the token
 * meanwhile.
 */
export const faultSchema = z.discriminatedUnion("kind", [
  effect({ kind: z.literal("latency"), ms: whole, jitterMs: whole.optional(), when: when.optional() }),
  /** 429; nothing is done. Retry-After is given in seconds, or as a date that many seconds ahead, or not at all. */
  effect({
    kind: z.literal("tooMany"),
    retryAfterSeconds: whole.optional(),
    retryAfterForm: z.enum(["seconds", "date"]).optional(),
  }),
  /** 429 for every request beyond this many within a second; nothing is done. */
  effect({
    kind: z.literal("rateLimit"),
    perSecond: whole.min(1),
    retryAfterSeconds: whole.optional(),
    retryAfterForm: z.enum(["seconds", "date"]).optional(),
  }),
  /** 429 for every request beyond this many in each period of so many seconds by the clock. Retry-After states the rest of it. */
  effect({ kind: z.literal("quota"), requests: whole.min(1), seconds: whole.min(1) }),
  effect({
    kind: z.literal("serverError"),
    status: z.int().min(500).max(599).optional(),
    when: when.optional(),
    commitDelayMs: whole.optional(),
    /** Answers with an HTML page, as a gateway does, instead of the service's own JSON. */
    html: z.boolean().optional(),
  }),
  /** `midBody`: the write is committed, and the answer breaks off in the middle. */
  effect({
    kind: z.literal("cut"),
    when: z.enum(["before", "during", "after", "midBody"]),
    commitDelayMs: whole.optional(),
  }),
  /** The answer's body arrives in pieces over this many milliseconds. */
  effect({ kind: z.literal("slowBody"), ms: whole }),
  /** 3xx to another address; by default the write is committed first. */
  effect({ kind: z.literal("redirect"), status: z.int().min(300).max(399).optional(), when: when.optional() }),
  /** A gateway refuses the request: 404 (or another status) with an HTML page; nothing is done. */
  effect({ kind: z.literal("gateway404"), status: z.int().min(400).max(499).optional() }),
  /** The write is committed; the answer is 200 without being JSON. */
  effect({ kind: z.literal("brokenJson") }),
  /**
   * A list is reported as empty: 200 without a body, `null` or `[]`; 204; a refusal with status 200; or a list in its
   * own format with a total of 0.
   */
  effect({
    kind: z.literal("emptyList"),
    shape: z.enum(["noBody", "null", "array", "noContent", "refusal", "list"]).optional(),
  }),
  /** The first record of the answer shows a `modified` that lies this many days ahead. */
  effect({ kind: z.literal("futureStamp"), days: whole.optional() }),
  /** The first id of the answer is one that no record can have: a number, or text for a value that rounds, such as 2^53 + 1. */
  effect({ kind: z.literal("oddId"), id: z.union([z.number(), z.string().regex(/^-?[\dEe+.]+$/)]).optional() }),
  /** The login tokens are revoked before the request is processed. */
  effect({ kind: z.literal("revokeTokens") }),
  /** The record that the request is about is removed first, as if by another client. */
  effect({ kind: z.literal("vanish") }),
  /**
   * After the request is answered, people change a line of the report that it read: a quarter of an hour more (`edit`), a line more, or a
   * line less.
   */
  effect({ kind: z.literal("changeLine"), change: z.enum(["edit", "add", "remove"]).optional() }),
  /** Lists omit records created within this many milliseconds. */
  effect({ kind: z.literal("staleList"), lagMs: whole }),
]);

/** An artificial failure. */
export type Fault = z.infer<typeof faultSchema>;

export type FaultOf<Kind extends Fault["kind"]> = Extract<Fault, { kind: Kind }>;

/** Faults whose effect ends the request: at most one of them hits. */
const FINAL_KINDS = [
  "tooMany",
  "rateLimit",
  "quota",
  "serverError",
  "redirect",
  "gateway404",
  "cut",
  "brokenJson",
  "emptyList",
] as const;

export type FinalFault = FaultOf<(typeof FINAL_KINDS)[number]>;

export function isFinal(fault: Fault): fault is FinalFault {
  return FINAL_KINDS.some((kind) => kind === fault.kind);
}

/** An armed fault, and how often it matched and hit. */
export interface ArmedFault {
  readonly id: number;
  readonly fault: Fault;
  readonly matched: number;
  readonly hits: number;
}
