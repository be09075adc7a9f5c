import assert from "node:assert/strict";
import { join } from "node:path";
import fc from "fast-check";
import { test } from "vitest";
import { anyDefinition, anyText, bytesOf, withFolder } from "../../test/support/folders.ts";
import type { DefinitionSource } from "../index.ts";
import { planAgentFolder } from "./plan-agent-folder.ts";
import { readAgentFolder } from "./read-agent-folder.ts";
import { writeAgentFolder } from "./write-agent-folder.ts";

async function read(directory: string): Promise<DefinitionSource> {
  const result = await readAgentFolder(directory);
  assert.ok(result.ok, JSON.stringify(result));
  return result.definition;
}

async function write(directory: string, definition: DefinitionSource): Promise<string[]> {
  const result = await writeAgentFolder(directory, definition);
  assert.ok(result.ok, JSON.stringify(result));
  return result.changes.map(({ kind, path }) => `${kind} ${path}`);
}

test("an agent folder reads back exactly as it was written, whatever the text", async () => {
  const property = fc.asyncProperty(anyDefinition, (definition) =>
    withFolder({}, async (directory) => {
      await write(join(directory, "new"), definition);
      assert.deepEqual(await read(join(directory, "new")), definition);
    }),
  );
  await fc.assert(property, { numRuns: 40 });
});

test("an agent folder is replaced by another definition exactly as planned", async () => {
  const property = fc.asyncProperty(anyDefinition, anyDefinition, (first, second) =>
    withFolder({}, async (directory) => {
      await write(directory, first);
      const before = await bytesOf(directory);
      const plan = await planAgentFolder(directory, second);
      assert.ok(plan.ok);
      assert.deepEqual(await bytesOf(directory), before, "planning changes nothing");
      const planned = plan.changes.map(({ kind, path }) => `${kind} ${path}`);
      assert.deepEqual(await write(directory, second), planned);
      assert.deepEqual(await read(directory), second);
      assert.deepEqual(await write(directory, second), []);
    }),
  );
  await fc.assert(property, { numRuns: 30 });
});

test("an agent folder keeps every byte if its own definition is written to it", async () => {
  const eol = fc.constantFrom("\n", "\r\n");
  const settings = fc.constantFrom(
    '{"format":"worker","name":"N","slug":"s"}',
    '{\r\n\t"$schema": "x", "slug": "s",\r\n"name": "\\u004e", "description": "", "format": "worker" }',
  );
  const frontMatter = fc.constantFrom(
    ["---", "description: Prices", "---"],
    ["--- ", "# All of them", "description: 'Prices # all'", "", "---\t"],
    ["---", "description: >", "  Prices,", "  all of them", "---"],
    ["---", '"description": "Prices\\nall"', "---"],
  );
  const property = fc.asyncProperty(
    settings,
    frontMatter,
    eol,
    anyText,
    anyText,
    (json, header, end, a, b) => {
      const files = {
        "settings.json": json,
        "protocol.yaml": a,
        "prompts/a.md": b,
        "prompts/deep/er/a.md": a,
        "prompts/.a.md.swp": "x",
        "prompts/notes.txt": "x",
        "references/r.md": header.join(end) + end + b,
        "references/empty.md": header.join(end),
        "README.md": "x",
      };
      return withFolder(files, async (directory) => {
        const before = await bytesOf(directory);
        assert.deepEqual(await write(directory, await read(directory)), []);
        assert.deepEqual(await bytesOf(directory), before);
      });
    },
  );
  await fc.assert(property, { numRuns: 30 });
});
