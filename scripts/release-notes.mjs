// Prints the changelog's section of a version, and fails unless everything that is published has it: node scripts/release-notes.mjs v1.2.3
import { readFileSync } from "node:fs";
import { join } from "node:path";

const published = {
  "package.json": /"version": "(.+)"/,
  "packages/cli/package.json": /"version": "(.+)"/,
  "packages/client/package.json": /"version": "(.+)"/,
  "packages/react/package.json": /"version": "(.+)"/,
  "packages/platform-computer/package.json": /"version": "(.+)"/,
  "deploy/kubernetes/muster/Chart.yaml": /^version: (.+)$/m,
  "deploy/kubernetes/muster/Chart.yaml, appVersion": /^appVersion: (.+)$/m,
  "deploy/compose/compose.yaml": /ghcr\.io\/muster\/muster:([^}\s]+)/,
};

/**
 * The text under `## [1.2.3] - YYYY-MM-DD` for the tag `v1.2.3`. `read` returns the text of a file of the repository. Throws an error that
 * lists all reasons against the release.
 *
 * @param {string} tag
 * @param {(path: string) => string} read
 */
export function releaseNotes(tag, read) {
  const [, version] = /^v(\d+\.\d+\.\d+)$/.exec(tag) ?? [];
  if (version === undefined) throw new Error(`${tag} is not a tag of a version, such as v1.2.3`);
  const problems = Object.entries(published).flatMap(([name, pattern]) => {
    const found = pattern.exec(read(name.replace(/,.*/, "")))?.[1];
    return found === version ? [] : [`${name} has ${found ?? "no version"}, not ${version}`];
  });
  const sections = read("CHANGELOG.md").split(/^## /m);
  const section = sections.find((text) => text.startsWith(`[${version}]`)) ?? "";
  const [title = "", ...lines] = section.split("\n");
  const notes = lines.join("\n").trim();
  if (!/^\[.+\] - \d{4}-\d\d-\d\d$/.test(title))
    problems.push(`CHANGELOG.md has no line "## [${version}] - YYYY-MM-DD"`);
  else if (notes === "") problems.push(`CHANGELOG.md says nothing about ${version}`);
  if (problems.length > 0) throw new Error(problems.join("\n"));
  return notes;
}

if (import.meta.main) {
  const repository = join(import.meta.dirname, "..");
  try {
    console.log(releaseNotes(process.argv[2] ?? "", (path) => readFileSync(join(repository, path), "utf8")));
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
