import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "vitest";

test("every route that a file exports is in the list of routes", () => {
  const read = (file: string) => readFileSync(join(import.meta.dirname, file), "utf8");
  const [, list = ""] = read("index.ts").split("export const routes");
  const exported = globSync("**/*.ts", { cwd: import.meta.dirname }).flatMap((file) =>
    Array.from(read(file).matchAll(/^export const (\w+): AddRoute\b/gm), ([, name = ""]) => name),
  );
  assert.ok(exported.length > 50);
  assert.deepEqual(
    exported.filter((name) => !list.includes(` ${name},`)),
    [],
  );
});
