import assert from "node:assert/strict";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { rolldown } from "rolldown";
import { test } from "vitest";

const maxBytes = 15 * 1024;

test("the client without dependencies fits into 15 KB, and imports nothing of Node", async (t) => {
  const bundle = await rolldown({ input: join(import.meta.dirname, "../src/index.ts"), platform: "browser" });
  t.onTestFinished(() => bundle.close());
  const { output } = await bundle.generate({ format: "esm", minify: true });
  const [chunk] = output;
  assert.equal(output.length, 1);
  assert.deepEqual([chunk.imports, chunk.dynamicImports], [[], []]);
  const bytes = gzipSync(chunk.code).length;
  assert.ok(bytes < maxBytes, `${bytes} bytes`);
});
