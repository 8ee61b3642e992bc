import type { FieldSpec, Figures } from "./field.ts";

type Compute = (compute: (figures: Figures) => number) => FieldSpec;

const HOUR_MS = 3_600_000;
/** Made up: money is a double in the service too. */
const PER_HOUR = 93.1;
const PER_KILOMETRE = 0.42;

const WORK = ["svcDocumentTaskWorkLog", "task"] as const;
const TASKS = ["svcDocumentTask", "svcDocument"] as const;
const TRAVEL = ["svcDocumentTraveLog", "svcDocument"] as const;

/** What a work log costs. */
export function workFigures(computed: Compute): Record<string, FieldSpec> {
  const price = computed(({ own }) => (own("invoiceTime") / HOUR_MS) * PER_HOUR);
  return {
    invoiceTime: computed(({ own }) => Math.round(own("time") * (own("factor") || 1))),
    price,
    invoicePrice: price,
    erpAmount: computed(({ own }) => own("invoiceTime") / HOUR_MS),
  };
}

export function travelFigures(computed: Compute): Record<string, FieldSpec> {
  const price = computed(({ own }) => own("distance") * PER_KILOMETRE);
  return {
    invoiceTime: computed(({ own }) => own("time")),
    price,
    invoicePrice: price,
    erpAmount: computed(({ own }) => own("distance")),
  };
}

/** Sums over the work logs of a task. */
export function taskTotals(computed: Compute): Record<string, FieldSpec> {
  const sum = (field: string) => computed((figures) => figures.sum(...WORK, field));
  return {
    totalWorkingTime: sum("time"),
    totalInvoiceTime: sum("invoiceTime"),
    price: sum("price"),
    invoicePrice: sum("invoicePrice"),
  };
}

/** Sums over the tasks and the travel logs of a service record. */
export function reportTotals(computed: Compute): Record<string, FieldSpec> {
  const tasks = (field: string) => computed((figures) => figures.sum(...TASKS, field));
  const travel = (field: string) => computed((figures) => figures.sum(...TRAVEL, field));
  const both = (field: string) => computed((figures) => figures.sum(...TASKS, field) + figures.sum(...TRAVEL, field));
  return {
    totalTasksWorkingTime: tasks("totalWorkingTime"),
    totalTasksInvoiceTime: tasks("totalInvoiceTime"),
    totalTasksPrice: tasks("price"),
    totalTasksInvoicePrice: tasks("invoicePrice"),
    totalTravelLogsTime: travel("time"),
    totalTravelLogsInvoiceTime: travel("invoiceTime"),
    totalTravelLogsDistance: travel("distance"),
    totalTravelLogsPrice: travel("price"),
    totalTravelLogsInvoicePrice: travel("invoicePrice"),
    totalPrice: both("price"),
    totalInvoicePrice: both("invoicePrice"),
  };
}
