/** The variable that names a folder for the tables of one run, one JSON file for each test file. */
export const PROMISES_FOLDER = "PROMISES_FOLDER";

/** The name under which a test file's table is kept there. */
export function keptName(testFile: string): string {
  return `${testFile.replace(/[^\w.]+/g, "_")}.json`;
}
