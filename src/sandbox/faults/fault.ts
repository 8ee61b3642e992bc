import { z } from "zod";

const whole = z.int().nonnegative();
const when = z.enum(["before", "during", "after"]);

/** Which requests a fault is for: all members that are given must hold. */
const aim = {
  /** Neutral name of a resource; `login` and `logout` are names too. */
  resource: z.string().optional(),
  method: z.enum(["GET", "POST", "PUT", "DELETE"]).optional(),
  /** Path and query as sent, with `*` for anything. */
  path: z.string().optional(),
  /** Leaves the first so many matching requests alone. */
  skip: whole.optional(),
  /** Only every n-th matching request. */
  every: whole.min(1).optional(),
  /** Chance per matching request, drawn from `seed`. */
  probability: z.number().min(0).max(1).optional(),
  seed: z.int().optional(),
  /** Ends after so many hits. */
  count: whole.min(1).optional(),
};

export const AIM_MEMBERS: readonly string[] = Object.keys(aim);

const effect = <Shape extends z.ZodRawShape>(shape: Shape) => z.strictObject({ ...aim, ...shape });

/**
 * What goes wrong, and when: `before` nothing is done; `during` the client hears the bad news first and the write is
 * committed `commitDelayMs` later; `after` the write is committed and only its answer suffers. A latency `during` a request lies
 * between the check of the token and the commit, whatever becomes of the token meanwhile.
 */
export const faultSchema = z.discriminatedUnion("kind", [
  effect({ kind: z.literal("latency"), ms: whole, jitterMs: whole.optional(), when: when.optional() }),
  /** 429; nothing is done. Retry-After as seconds, or as a date that lies so many seconds ahead, or not at all. */
  effect({
    kind: z.literal("tooMany"),
    retryAfterSeconds: whole.optional(),
    retryAfterForm: z.enum(["seconds", "date"]).optional(),
  }),
  /** 429 to every request beyond so many within a second; nothing is done. */
  effect({
    kind: z.literal("rateLimit"),
    perSecond: whole.min(1),
    retryAfterSeconds: whole.optional(),
    retryAfterForm: z.enum(["seconds", "date"]).optional(),
  }),
  /** 429 to every request beyond so many in each span of so many seconds by the clock; Retry-After gives the rest of it. */
  effect({ kind: z.literal("quota"), requests: whole.min(1), seconds: whole.min(1), silent: z.boolean().optional() }),
  effect({
    kind: z.literal("serverError"),
    status: z.int().min(500).max(599).optional(),
    when: when.optional(),
    commitDelayMs: whole.optional(),
    /** An HTML page of something in between, instead of the service's own JSON. */
    html: z.boolean().optional(),
  }),
  /** `midBody`: committed, and the answer breaks off in the middle. */
  effect({
    kind: z.literal("cut"),
    when: z.enum(["before", "during", "after", "midBody"]),
    commitDelayMs: whole.optional(),
  }),
  /** The answer's body takes so long to arrive, piece by piece. */
  effect({ kind: z.literal("slowBody"), ms: whole }),
  /** 3xx to somewhere else; by default the write is committed first. */
  effect({ kind: z.literal("redirect"), status: z.int().min(300).max(399).optional(), when: when.optional() }),
  /** Something in front of the service refuses: 404 (or another status) with an HTML page; nothing is done. */
  effect({ kind: z.literal("gateway404"), status: z.int().min(400).max(499).optional() }),
  /** Committed; the answer says 200 and is not JSON. */
  effect({ kind: z.literal("brokenJson") }),
  /**
   * A list that is said to hold nothing: 200 without a body, `null` or `[]`; 204; a refusal that says 200; or a list of its
   * own shape, with a total of 0.
   */
  effect({
    kind: z.literal("emptyList"),
    shape: z.enum(["noBody", "null", "array", "noContent", "refusal", "list"]).optional(),
  }),
  /** The first record of the answer shows a `modified` that lies so many days ahead. */
  effect({ kind: z.literal("futureStamp"), days: whole.optional() }),
  /** The first id of the answer is none that a record can have: a number, or text for what rounds, such as 2^53 + 1. */
  effect({ kind: z.literal("oddId"), id: z.union([z.number(), z.string().regex(/^-?[\dEe+.]+$/)]).optional() }),
  /** The login tokens are revoked before the request is looked at; `staticTokens` too if asked. */
  effect({ kind: z.literal("revokeTokens"), staticTokens: z.boolean().optional() }),
  /** The record that the request is about is removed first, as if by another client. */
  effect({ kind: z.literal("vanish") }),
  /** Lists do not show the records that were created in so long a time. */
  effect({ kind: z.literal("staleList"), lagMs: whole }),
]);

/** A fault on demand. */
export type Fault = z.infer<typeof faultSchema>;

export type FaultOf<Kind extends Fault["kind"]> = Extract<Fault, { kind: Kind }>;

/** Faults whose effect ends the request: at most one of them strikes. */
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

/** A fault that is armed, and how often it matched and struck. */
export interface ArmedFault {
  readonly id: number;
  readonly fault: Fault;
  readonly matched: number;
  readonly hits: number;
}
