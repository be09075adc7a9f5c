import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { test } from "vitest";

const maxBytes = 180 * 1024;

test("the JavaScript of the first view stays below 180 KB, compressed", async () => {
  const built = join(import.meta.dirname, "../built");
  const page = await readFile(join(built, "index.html"), "utf8");
  const scripts = [...page.matchAll(/(?:src|href)="\/console\/(assets\/[^"]+\.js)"/g)].map(
    ([, path]) => path,
  );
  assert.ok(scripts.length > 0);
  const contents = await Promise.all(scripts.map((path) => readFile(join(built, path ?? ""))));
  const bytes = contents.reduce((sum, content) => sum + gzipSync(content).length, 0);
  assert.ok(bytes < maxBytes, `${bytes} bytes`);
});
