import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "vitest";
import { releaseNotes } from "./release-notes.mjs";

const repository = join(import.meta.dirname, "..");
const changelog =
  "# Changelog\n\n## [Unreleased]\n\n## [1.2.3] - 2026-11-26\n\n### Added\n\n- A.\n\n## [1.2.2] - 2026-11-01\n\n- B.\n";

/** The files of a repository in which everything has the version 1.2.3, with other texts. */
function files(others = {}) {
  const texts = {
    "package.json": '{"version": "1.2.3"}',
    "packages/cli/package.json": '{"version": "1.2.3"}',
    "packages/client/package.json": '{"version": "1.2.3"}',
    "packages/react/package.json": '{"version": "1.2.3"}',
    "packages/platform-computer/package.json": '{"version": "1.2.3"}',
    "deploy/kubernetes/muster/Chart.yaml": "version: 1.2.3\nappVersion: 1.2.3\n",
    "deploy/compose/compose.yaml": "image: ghcr.io/muster/muster:1.2.3\n",
    "CHANGELOG.md": changelog,
    ...others,
  };
  return (path) => texts[path];
}

test("the notes of a release are the changelog's section of its version, and no other", () => {
  assert.equal(releaseNotes("v1.2.3", files()), "### Added\n\n- A.");
});

test("a release is refused with every version that differs from its tag", () => {
  const refuse = (tag, others) => {
    try {
      releaseNotes(tag, files(others));
    } catch (error) {
      return error.message.split("\n");
    }
    return assert.fail("it was accepted");
  };
  assert.deepEqual(
    refuse("v1.2.3", { "deploy/kubernetes/muster/Chart.yaml": "version: 1.2.3\n", "package.json": "{}" }),
    [
      "package.json has no version, not 1.2.3",
      "deploy/kubernetes/muster/Chart.yaml, appVersion has no version, not 1.2.3",
    ],
  );
  assert.deepEqual(refuse("v1.2.4").slice(-2), [
    "deploy/compose/compose.yaml has 1.2.3, not 1.2.4",
    'CHANGELOG.md has no line "## [1.2.4] - YYYY-MM-DD"',
  ]);
  const undated = changelog.replace(" - 2026-11-26", "");
  assert.deepEqual(refuse("v1.2.3", { "CHANGELOG.md": undated }), [
    'CHANGELOG.md has no line "## [1.2.3] - YYYY-MM-DD"',
  ]);
  const empty = changelog.replace("### Added\n\n- A.\n\n", "");
  assert.deepEqual(refuse("v1.2.3", { "CHANGELOG.md": empty }), ["CHANGELOG.md says nothing about 1.2.3"]);
  assert.deepEqual(refuse("1.2.3"), ["1.2.3 is not a tag of a version, such as v1.2.3"]);
});

test("the versions of this repository agree, and its changelog has a section of them", () => {
  const { version } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8"));
  const script = join(repository, "scripts/release-notes.mjs");
  const notes = execFileSync(process.execPath, [script, `v${version}`], { encoding: "utf8" });
  assert.ok(notes.trim().length > 20, notes);
});
