import assert from "node:assert/strict";
import { chmod, mkdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "vitest";
import { bytesOf, rightFiles, withFolder } from "../../test/support/folders.ts";
import type { DefinitionSource } from "../index.ts";
import { readAgentFolder } from "./read-agent-folder.ts";
import { writeAgentFolder } from "./write-agent-folder.ts";

const definition: DefinitionSource = {
  settings: { slug: "support", name: "Support", format: "interactive" },
  protocol: "agent: { model: demo/echo }\n",
  prompts: [{ name: "system", content: "You help.\n" }],
  references: [{ name: "prices", description: "All prices", content: "1 €\n" }],
};

async function problemsOf(directory: string, wrong: Partial<DefinitionSource>): Promise<string[]> {
  const result = await writeAgentFolder(directory, { ...definition, ...wrong });
  return result.ok ? [] : result.problems.map(({ path, message }) => `${path}: ${message}`);
}

test("writeAgentFolder creates files in a readable layout", () =>
  withFolder({}, async (directory) => {
    assert.ok((await writeAgentFolder(directory, definition)).ok);
    assert.deepEqual(await bytesOf(directory), {
      "settings.json": '{\n  "slug": "support",\n  "name": "Support",\n  "format": "interactive"\n}\n',
      "protocol.yaml": rightFiles["protocol.yaml"],
      "prompts/system.md": rightFiles["prompts/system.md"],
      "references/prices.md": Buffer.from(rightFiles["references/prices.md"]).toString("latin1"),
    });
  }));

test("a changed setting keeps the layout, the schema and the line breaks of settings.json", async () => {
  const text =
    '{\r\n  "$schema": "s",\r\n  "slug": "support", "name": "Old",\r\n  "format": "interactive"\r\n}';
  await withFolder({ ...rightFiles, "settings.json": text }, async (directory) => {
    assert.ok((await writeAgentFolder(directory, definition)).ok);
    assert.equal(await readFile(join(directory, "settings.json"), "utf8"), text.replace("Old", "Support"));
  });
});

test("changed reference content keeps the front matter unchanged", async () => {
  const header = "---\n# mine\ndescription: 'All prices'\n---";
  await withFolder({ ...rightFiles, "references/prices.md": header }, async (directory) => {
    assert.ok((await writeAgentFolder(directory, definition)).ok);
    assert.equal(await readFile(join(directory, "references/prices.md"), "utf8"), `${header}\n1 €\n`);
  });
});

test("writeAgentFolder removes only Markdown files of prompts and references, and folders left empty", async () => {
  const others = { "notes.md": "n", "prompts/a/keep.txt": "k", "prompts/.hidden.md": "h" };
  const gone = {
    "prompts/a/b/c.md": "",
    "prompts/Odd Name.md": "",
    "references/old.md": "no front matter",
  };
  await withFolder({ ...rightFiles, ...others, ...gone }, async (directory) => {
    const result = await writeAgentFolder(directory, definition);
    assert.ok(result.ok);
    assert.deepEqual(
      result.changes.map(({ kind, path }) => `${kind} ${path}`),
      ["delete prompts/Odd Name.md", "delete prompts/a/b/c.md", "delete references/old.md"],
    );
    const left = Object.keys(await bytesOf(directory)).sort();
    assert.deepEqual(left, [...Object.keys(rightFiles), ...Object.keys(others)].sort());
    await assert.rejects(stat(join(directory, "prompts/a/b")));
  });
});

test("writeAgentFolder writes nothing if a name would leave the folder or a text cannot be stored", () =>
  withFolder({}, async (directory) => {
    const content = "";
    const wrong: Array<[Partial<DefinitionSource>, RegExp]> = [
      [{ prompts: [{ name: "../../evil", content }] }, /must be lowercase-with-dashes.* at most 200/],
      [{ prompts: [{ name: "/etc/evil", content }] }, /must be/],
      [{ prompts: [{ name: "a\\b", content }] }, /must be/],
      [{ references: [{ name: "..", description: "x", content }] }, /must be/],
      [{ prompts: [1, 2].map(() => ({ name: "twice", content })) }, /appears twice/],
      [{ prompts: [{ name: "half", content: "\ud800" }] }, /surrogate/],
      [{ protocol: "\u0000" }, /Control characters/],
      [{ references: [{ name: "r", description: "", content }] }, /1 to 1000 characters/],
    ];
    for (const [part, message] of wrong)
      assert.match((await problemsOf(directory, part)).join("\n"), message);
    assert.deepEqual(await bytesOf(directory), {});
  }));

test("writeAgentFolder never writes through links: it replaces links to files and rejects links to folders", () =>
  withFolder(
    { "outside/prompt.md": "safe", "agent/settings.json": rightFiles["settings.json"] },
    async (root) => {
      const directory = join(root, "agent");
      await mkdir(join(directory, "prompts"));
      await symlink("../../outside/prompt.md", join(directory, "prompts/system.md"));
      assert.deepEqual(await problemsOf(directory, {}), []);
      assert.equal(await readFile(join(root, "outside/prompt.md"), "utf8"), "safe");
      await rm(join(directory, "prompts"), { recursive: true });
      await symlink("../outside", join(directory, "prompts"));
      assert.match((await problemsOf(directory, {})).join(), /link to a folder/);
      assert.equal(await readFile(join(root, "outside/prompt.md"), "utf8"), "safe");
    },
  ));

test("a folder that has a file's name is reported as a problem, and no partial file is left behind", () =>
  withFolder({ "protocol.yaml/x": "" }, async (directory) => {
    assert.match((await problemsOf(directory, {})).join(), /protocol.yaml is not a regular file/);
    assert.deepEqual(Object.keys(await bytesOf(directory)), ["protocol.yaml/x"]);
  }));

test("a description that YAML readers could misread is quoted on one line", async () => {
  for (const description of [
    "true",
    "No",
    "null",
    "a: b",
    "x #y",
    "two\nlines",
    "nel\u0085ls\u2028bom\ufeff",
    '"quoted"',
  ]) {
    await withFolder({}, async (directory) => {
      const references = [{ name: "r", description, content: "" }];
      assert.deepEqual(await problemsOf(directory, { references }), []);
      const text = await readFile(join(directory, "references/r.md"), "utf8");
      assert.match(text, /^---\ndescription: "[^\n\u0085\u2028\ufeff]*"\n---\n$/);
      const read = await readAgentFolder(directory);
      assert.equal(read.ok && read.definition.references[0]?.description, description);
    });
  }
});

test("writeAgentFolder keeps the name protocol.yml", () =>
  withFolder({ "protocol.yml": "old" }, async (directory) => {
    assert.ok((await writeAgentFolder(directory, definition)).ok);
    const files = await bytesOf(directory);
    assert.equal(files["protocol.yml"], definition.protocol);
    assert.equal(files["protocol.yaml"], undefined);
  }));

test("writeAgentFolder keeps the permissions of a file", () =>
  withFolder(rightFiles, async (directory) => {
    const file = join(directory, "protocol.yaml");
    await writeFile(file, "old");
    await chmod(file, 0o640);
    assert.ok((await writeAgentFolder(directory, definition)).ok);
    assert.equal((await stat(file)).mode & 0o777, 0o640);
    assert.ok((await readAgentFolder(directory)).ok);
  }));
