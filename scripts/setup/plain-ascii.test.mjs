import assert from "node:assert/strict";
import { SourceMap } from "node:module";
import { rolldown } from "rolldown";
import { test } from "vitest";
import { plainAscii } from "./plain-ascii.mjs";

const source = `
export const quote = "“ü” 👍".concat(first());
export const pattern = /[“👍]/u, after = second("${"x".repeat(600)}", \`–\`, third());
fourth();`;

test("a file of the bundle in ASCII does the same, and its map names the same positions", async () => {
  const bundle = await rolldown({
    input: "source",
    plugins: [{ name: "source", resolveId: (id) => id, load: () => source }],
  });
  const { output } = await bundle.generate({
    sourcemap: true,
    minify: { mangle: false, compress: false, codegen: { removeWhitespace: true } },
  });
  const { code, map } = plainAscii(output[0].code, output[0].map);
  assert.match(code, /^[\0-\x7f]+$/);
  const origins = new SourceMap(map);
  const lines = source.split("\n");
  for (const name of ["first", "second", "third", "fourth"]) {
    const before = code.slice(0, code.indexOf(`${name}(`)).split("\n");
    const origin = origins.findOrigin(before.length, before.at(-1).length + 1);
    const line = lines.findIndex((text) => text.includes(`${name}(`));
    assert.deepEqual(
      [origin.lineNumber, origin.columnNumber],
      [line + 1, lines[line].indexOf(`${name}(`) + 1],
      name,
    );
  }
  const evaluate = new Function(
    "first, second, third, fourth",
    code.replace(/export\s*\{.*$/s, "return { quote, pattern, after };"),
  );
  const made = evaluate(
    () => "1",
    (...texts) => texts.join(""),
    () => "3",
    () => {},
  );
  assert.equal(made.quote, "“ü” 👍1");
  assert.ok(made.pattern.test("👍") && made.after.endsWith("x–3"));
});
