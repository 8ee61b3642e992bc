/** What has to be known before a release is built. */
export interface ReleaseFacts {
  /** The version in package.json. */
  readonly version: string;
  /** The version in package-lock.json. */
  readonly lockedVersion: string;
  readonly changelog: string;
  /** What `git status --porcelain` prints. */
  readonly changedFiles: string;
  /** Names that are already in the folder that the release is written to. */
  readonly inFolder: readonly string[];
  /** The tags of the repository. */
  readonly tags: readonly string[];
  readonly isDryRun: boolean;
}

/** The first heading of the changelog: `## 0.2.0 (2026-11-27)`. */
const newestSection = /^## (.+)$/m;
const datedHeading = /^(\d+\.\d+\.\d+) \((\d{4}-\d{2}-\d{2})\)$/;

/** Why this state of the repository may not become a release, one sentence each; empty if it may. Nothing is built before this is empty. */
export function refusalsOf(facts: ReleaseFacts): readonly string[] {
  const { version, lockedVersion, changedFiles, inFolder, tags, isDryRun } = facts;
  const changed = changedFiles.split("\n").filter((line) => line !== "");
  const refusals: string[] = [];
  if (changed.length > 0)
    refusals.push(
      `the working tree has ${changed.length} uncommitted ${changed.length === 1 ? "file" : "files"} (${changed[0]?.slice(3)}${changed.length > 1 ? ", …" : ""}): commit or remove them, so that the release is what its commit says.`,
    );
  if (lockedVersion !== version)
    refusals.push(
      `package.json has version ${version}, package-lock.json ${lockedVersion}: run "npm install --package-lock-only" and commit it.`,
    );
  refusals.push(...changelogRefusals(facts));
  if (inFolder.length > 0)
    refusals.push(
      `the output folder already holds ${inFolder[0]}${inFolder.length > 1 ? ` and ${inFolder.length - 1} more` : ""}: give an empty or a new folder with --out. Nothing there was changed.`,
    );
  if (!isDryRun && tags.includes(`v${version}`))
    refusals.push(`the tag v${version} exists: raise the version in package.json, a release never changes.`);
  return refusals;
}

function changelogRefusals({ changelog, version }: ReleaseFacts): readonly string[] {
  const heading = newestSection.exec(changelog)?.[1]?.trim() ?? "none";
  const [, titled, date] = datedHeading.exec(heading) ?? [];
  if (titled === undefined || date === undefined)
    return [
      `the newest section of CHANGELOG.md is "${heading}", expected "${version} (YYYY-MM-DD)": date it and say there what users must do.`,
    ];
  if (titled !== version) return [`the newest section of CHANGELOG.md is for ${titled}, package.json has ${version}.`];
  if (Number.isNaN(Date.parse(date)))
    return [`the newest section of CHANGELOG.md has the date ${date}, which does not exist.`];
  const section = changelog.slice(changelog.indexOf(heading)).split(/^## /m)[0] ?? "";
  return section.includes("### What you must do")
    ? []
    : [`the section ${version} of CHANGELOG.md has no "What you must do": write one, "Nothing." if that is so.`];
}
