import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { render } from "../test/support/helm.ts";
import { isRecord } from "../test/support/records.ts";
import { chart, readmeOf, sectionsOf } from "./readme.ts";

const introduction = readFileSync(join(import.meta.dirname, "introduction.md"), "utf8");

describe("the README of the chart", () => {
  test("it is the output of npm run generate:chart", () => {
    assert.equal(readFileSync(join(chart, "README.md"), "utf8"), readmeOf(introduction));
  });

  test("it lists every value with its default", () => {
    const [general, gateway] = sectionsOf(
      '# The file.\n\n# -- First.\na: 1\n# -- Second, in\n# two lines.\nb: []\n\n# The edge.\ngateway:\n  # -- Third.\n  c: ""\n  d:\n    # -- Fourth.\n    e: {f: x}\n',
    );
    assert.deepEqual(general?.values, [
      { path: "a", fallback: "`1`", text: "First." },
      { path: "b", fallback: "`[]`", text: "Second, in two lines." },
    ]);
    assert.deepEqual(gateway, {
      name: "gateway",
      text: "The edge.",
      values: [
        { path: "gateway.c", fallback: "", text: "Third." },
        { path: "gateway.d.e", fallback: '`{"f":"x"}`', text: "Fourth." },
      ],
    });
  });

  test("a value without a comment is refused", () => {
    assert.throws(() => sectionsOf("# Group.\na:\n  b: 1\n"), /a\.b in values\.yaml has no comment/);
  });

  test("the values in its examples can be installed", async () => {
    const examples = [...introduction.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text = ""]) => text);
    assert.equal(examples.length, 2);
    const [smallest, production] = examples.map((text): unknown => parseAllDocuments(text)[0]?.toJS());
    assert.ok(isRecord(smallest) && isRecord(production));
    for (const values of [smallest, production]) assert.ok((await render(values)).length > 30);
  });
});
