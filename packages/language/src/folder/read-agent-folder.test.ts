import assert from "node:assert/strict";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "vitest";
import { rightFiles, withFolder } from "../../test/support/folders.ts";
import { readAgentFolder } from "./read-agent-folder.ts";

const settings = (text: string) => ({ "settings.json": text });
const reference = (text: string) => ({ "references/prices.md": text });

/** The problems of a folder that is valid except for these files. */
async function problemsOf(
  files: Readonly<Record<string, string | Uint8Array>>,
  prepare?: (directory: string) => Promise<void>,
): Promise<Array<[path: string, message: string]>> {
  return withFolder({ ...rightFiles, ...files }, async (directory) => {
    await prepare?.(directory);
    const result = await readAgentFolder(directory);
    return result.ok ? [] : result.problems.map(({ path, message }) => [path, message]);
  });
}

interface Row {
  files: Readonly<Record<string, string | Uint8Array>>;
  path: string;
  message: RegExp;
}

const rows: Record<string, Row> = {
  "bytes that are not UTF-8": {
    files: { "prompts/system.md": Uint8Array.of(0x61, 0xff) },
    path: "prompts/system.md",
    message: /not UTF-8 text/,
  },
  "UTF-16 with a byte order mark": {
    files: { "protocol.yaml": Uint8Array.of(0xff, 0xfe, 0x61, 0) },
    path: "protocol.yaml",
    message: /not UTF-8 text/,
  },
  "a NUL": {
    files: { "prompts/system.md": "one\ntwo \u0000" },
    path: "prompts/system.md",
    message: /^Line 2, column 5: Control/,
  },
  "a prompt that is too large": {
    files: { "prompts/system.md": "ä".repeat(32 * 1024 + 1) },
    path: "prompts/system.md",
    message: /has 65538 bytes; the maximum is 65536/,
  },
  "a protocol that is too large": {
    files: { "protocol.yaml": "#".repeat(128 * 1024 + 1) },
    path: "protocol.yaml",
    message: /the maximum is 131072/,
  },
  "more prompts than a definition may have": {
    files: Object.fromEntries(Array.from({ length: 256 }, (_, index) => [`prompts/p${index}.md`, ""])),
    path: "prompts",
    message: /contains 257 files; the maximum is 256/,
  },
  "a file whose name is not a valid prompt name": {
    files: { "prompts/Big Idea.md": "" },
    path: "prompts/Big Idea.md",
    message: /must be lowercase-with-dashes.* at most 200 characters/,
  },
  "settings that are not JSON": {
    files: settings('{\n  "slug": "a",\n  name: "b"\n}'),
    path: "settings.json",
    message: /^Line 3, column 3: The file is not valid JSON/,
  },
  "settings that end too early": {
    files: settings('{ "slug": "a"'),
    path: "settings.json",
    message: /^Line 1, column 1\d: The file is not valid JSON \(close brace expected\)/,
  },
  "settings that are empty": { files: settings(""), path: "settings.json", message: /not valid JSON/ },
  "settings with comments": {
    files: settings('{ "slug": "a", "name": "b", "format": "worker" } // c'),
    path: "settings.json",
    message: /not valid JSON/,
  },
  "settings that are a list": {
    files: settings("[]"),
    path: "settings.json",
    message: /must contain an object/,
  },
  "an unknown setting": {
    files: settings('{ "slug": "a", "name": "b", "format": "worker",\n "nmae": 1 }'),
    path: "settings.json",
    message: /^Line 2, column 10: Unknown key "nmae"/,
  },
  "a duplicate setting": {
    files: settings('{ "slug": "a", "name": "b", "format": "worker", "slug": "c" }'),
    path: "settings.json",
    message: /"slug" appears twice/,
  },
  "a setting of the wrong type": {
    files: settings('{ "slug": "a", "name": null, "format": "worker" }'),
    path: "settings.json",
    message: /^Line 1, column 24: The value of "name" must be a string/,
  },
  "a missing setting": {
    files: settings('{ "slug": "a", "name": "b" }'),
    path: "settings.json",
    message: /"format" is missing/,
  },
  "an unknown format": {
    files: settings('{ "slug": "a", "name": "b", "format": "robot" }'),
    path: "settings.json",
    message: /must be interactive or worker/,
  },
  "a byte order mark before the settings": {
    files: settings('\ufeff{ "slug": "a", "name": "b", "format": "worker" }'),
    path: "settings.json",
    message: /byte order mark/,
  },
  "a reference without front matter": {
    files: reference("1 €"),
    path: "references/prices.md",
    message: /must begin with front matter/,
  },
  "a reference with a byte order mark before its front matter": {
    files: reference("\ufeff---\ndescription: x\n---\n"),
    path: "references/prices.md",
    message: /byte order mark; remove it/,
  },
  "front matter that does not end": {
    files: reference("---\ndescription: x\n1 €\n----\n"),
    path: "references/prices.md",
    message: /does not end/,
  },
  "front matter that is too large": {
    files: reference(`---\n# ${"x".repeat(20_000)}\ndescription: x\n---\n`),
    path: "references/prices.md",
    message: /at most 16384 bytes/,
  },
  "front matter that is not YAML": {
    files: reference("---\ndescription: [x\n---\n"),
    path: "references/prices.md",
    message: /^Line \d, column \d+: The front matter is not valid YAML/,
  },
  "front matter that is not a map": {
    files: reference("---\nPrices\n---\n"),
    path: "references/prices.md",
    message: /must be a mapping/,
  },
  "front matter without a description": {
    files: reference("---\n{}\n---\n"),
    path: "references/prices.md",
    message: /has no description/,
  },
  "front matter with an unknown key": {
    files: reference("---\ndescription: x\ntitle: y\n---\n"),
    path: "references/prices.md",
    message: /^Line 3, column 1: .* unknown key "title"/,
  },
  "a description that is not text": {
    files: reference("---\ndescription: 5\n---\n"),
    path: "references/prices.md",
    message: /^Line 2, column 14: The description must be text/,
  },
  "an empty description": {
    files: reference('---\ndescription: " "\n---\n'),
    path: "references/prices.md",
    message: /1 to 1000 characters/,
  },
  "an alias bomb in front matter": {
    files: reference("---\na: &a [x, x]\ndescription: *a\n---\n"),
    path: "references/prices.md",
    message: /unknown key "a"/,
  },
};

for (const [what, { files, path, message }] of Object.entries(rows)) {
  test(`readAgentFolder reports ${what} at its file, and nothing else`, async () => {
    const found = await problemsOf(files);
    assert.deepEqual(
      found.map((problem) => problem[0]),
      [path],
    );
    assert.match(found[0]?.[1] ?? "", message);
  });
}

test("an empty folder is reported as missing its two files", async () => {
  const found = await withFolder({}, readAgentFolder);
  assert.ok(!found.ok);
  assert.deepEqual(
    found.problems.map(({ message }) => message),
    ["settings.json does not exist.", "protocol.yaml does not exist."],
  );
});

test("a path that is not a folder is reported as such", async () => {
  await withFolder({ file: "" }, async (directory) => {
    for (const [name, message] of [
      ["file", /is not a folder/],
      ["absent", /does not exist/],
    ] as const) {
      const found = await readAgentFolder(join(directory, name));
      assert.ok(!found.ok);
      assert.equal(found.problems.length, 1);
      assert.match(found.problems[0]?.message ?? "", message);
    }
  });
});

test("protocol.yml is read if protocol.yaml is missing, and having both is a problem", async () => {
  const { "protocol.yaml": protocol, ...others } = rightFiles;
  const found = await withFolder({ ...others, "protocol.yml": protocol }, readAgentFolder);
  assert.ok(found.ok);
  assert.deepEqual([found.definition.protocol, found.protocolPath], [protocol, "protocol.yml"]);
  assert.deepEqual(await problemsOf({ "protocol.yml": protocol }), [
    ["protocol.yml", "Both protocol.yaml and protocol.yml exist. Remove one of them."],
  ]);
});

test("readAgentFolder reports all problems of a folder at once", async () => {
  const found = await problemsOf({ ...settings("{}"), ...reference(""), "prompts/A.md": "" });
  assert.deepEqual(
    found.map(([path]) => path),
    ["settings.json", "settings.json", "settings.json", "prompts/A.md", "references/prices.md"],
  );
});

test("links to files are followed inside the folder, and rejected if they leave it", async () => {
  const found = await problemsOf({ "shared.md": "x" }, async (directory) => {
    await symlink("../shared.md", join(directory, "prompts/inside.md"));
    await symlink("/etc/passwd", join(directory, "prompts/outside.md"));
    await symlink("nowhere", join(directory, "prompts/broken.md"));
  });
  assert.deepEqual(found, [
    ["prompts/broken.md", "prompts/broken.md does not exist."],
    ["prompts/outside.md", "prompts/outside.md is a link to a file outside the folder."],
  ]);
});

test("links to folders are rejected, including links to a parent folder", async () => {
  const found = await problemsOf({}, async (directory) => {
    await symlink(".", join(directory, "prompts/loop"));
    await mkdir(join(directory, "elsewhere"));
    await writeFile(join(directory, "elsewhere/x.md"), "x");
    await symlink("../elsewhere", join(directory, "references/other"));
  });
  assert.deepEqual(
    found.map(([path]) => path),
    ["prompts/loop", "references/other"],
  );
});

test("byte order marks are kept in prompts and in the protocol", async () => {
  const files = { ...rightFiles, "prompts/system.md": "\ufeffHi", "protocol.yaml": "\ufeff{}" };
  const found = await withFolder(files, readAgentFolder);
  assert.ok(found.ok);
  assert.equal(found.definition.prompts[0]?.content, "\ufeffHi");
  assert.equal(found.definition.protocol, "\ufeff{}");
});
