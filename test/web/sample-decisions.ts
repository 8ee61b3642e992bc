import type { AdoptionReport, StreamPlan } from "#operator";
import type { AdoptionState, StatusSource } from "#web";

const minute = 60_000;
/** The moment at which the sample is looked at. */
export const now = Date.UTC(2026, 4, 20, 12, 0, 0);

/** A changed mapping that the guard holds. */
export const samplePlan: StreamPlan = {
  stream: "customers",
  isMappingChanged: true,
  plan: "0a1b2c3d4e5f",
  known: 4_120,
  isHeld: true,
  areDeletionsHeld: false,
  isChange: true,
  verdicts: { create: 2, adopt: 0, update: 3_980, delete: 0, settle: 0, park: 1, wait: 0, skip: 4, unchanged: 133 },
  fields: [
    { field: "name", count: 3_980 },
    { field: "customerStatus", count: 12 },
  ],
  updates: 3_980,
  samples: [
    {
      id: { stream: "customers", key: "10001" },
      verdict: "update",
      serviceId: 4711,
      isDelivered: true,
      fields: [
        { field: "name", before: "Müller & Söhne AG", after: "10001" },
        { field: "customerStatus", before: 1, after: { idOf: "customerStatus", by: "name", value: "<b>Aktiv</b>" } },
      ],
    },
    {
      id: { stream: "customers", key: "10002" },
      verdict: "update",
      serviceId: 4712,
      isDelivered: true,
      fields: [{ field: "name", before: "Huber Anlagenbau GmbH & Co. KG, Niederlassung Süd", after: "10002" }],
    },
    {
      id: { stream: "customers", key: "20001" },
      verdict: "create",
      isDelivered: false,
      fields: [{ field: "name", after: "20001" }],
    },
  ],
  causes: [
    {
      id: "00c0ffee",
      stream: "customers",
      state: "parked",
      code: "E_LOOKUP_UNKNOWN",
      field: "customerStatus",
      message: 'no customerStatus is called "Prospect"',
      count: 1,
      examples: [{ stream: "customers", key: "10077" }],
      error: { code: "E_LOOKUP_UNKNOWN", message: 'no customerStatus is called "Prospect"', details: {} },
    },
  ],
};

export const sampleDeletions: NonNullable<Awaited<ReturnType<StatusSource["heldDeletions"]>>> = {
  count: 60,
  known: 412,
  examples: Array.from({ length: 20 }, (_, at) => String(10_000 + at)),
  isEmptied: false,
  deletion: "delete",
};

export const sampleReport: AdoptionReport = {
  stream: "tickets",
  create: "always",
  counts: { bound: 0, matched: 150, deleted: 3, new: 130, ambiguous: 2, "left out": 4, unclear: 1 },
  onlyInService: 1_850,
  blindFields: [],
  examples: [
    {
      id: { stream: "tickets", key: "T-7" },
      name: "Pump leaks",
      match: "ticketId T-7",
      verdict: "ambiguous",
      candidates: [812, 813],
      counterparts: [
        { serviceId: 812, name: "Pump leaks", match: "ticketId T-7" },
        { serviceId: 813, name: "Pump leaks (old)", match: "ticketId T-7" },
      ],
      overwrites: [],
    },
    {
      id: { stream: "tickets", key: "T-8" },
      name: "",
      match: "",
      verdict: "unclear",
      candidates: [],
      counterparts: [],
      overwrites: [],
      error: { code: "E_LOOKUP_UNKNOWN", message: 'no tag is called "<Garantie>"', details: {} },
    },
    {
      id: { stream: "tickets", key: "T-9" },
      name: "Annual inspection",
      match: "ticketId T-9",
      verdict: "matched",
      candidates: [901],
      counterparts: [{ serviceId: 901, name: "Inspection", match: "ticketId T-9" }],
      overwrites: [{ field: "subject", from: "Inspection", to: "Annual inspection" }],
    },
  ],
};

export const compared: AdoptionState = { kind: "done", at: now - 2 * minute, reports: [sampleReport] };
