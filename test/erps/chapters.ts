/** The chapters of the story, in the order of the table. */
export const CHAPTERS = [
  "first load",
  "killed load",
  "live",
  "hidden, shown",
  "late commit",
  "hard delete",
  "wrong password",
  "restart",
  "less rights",
] as const;
export type Chapter = (typeof CHAPTERS)[number];
