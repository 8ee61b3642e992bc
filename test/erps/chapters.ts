/** The chapters of the story, in the order of the table. */
export const CHAPTERS = [
  "first load",
  "killed load",
  "live",
  "moved",
  "merged",
  "hidden, shown",
  "late commit",
  "hard delete",
  "wrong password",
  "restart",
  "less rights",
  "bulk",
] as const;
export type Chapter = (typeof CHAPTERS)[number];
/** Chapters in which the ERP does one deed of its own, where its trial has it. */
export const DEEDS = ["moved", "merged", "bulk"] as const satisfies readonly Chapter[];
export type Deed = (typeof DEEDS)[number];
