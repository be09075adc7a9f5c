import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { readExposition } from "../test/support/index.ts";

const head = "# HELP a Help.\n# TYPE a counter\n";
const histogram = "# HELP h Help.\n# TYPE h histogram\n";

describe("the reader of expositions in tests", () => {
  test("reads labels with escapes, and numbers of all forms", () => {
    const text = `${head}a{x="q\\"\\\\\\n",y=""} 1e3\na +Inf\n`;
    assert.deepEqual(
      readExposition(text)
        .get("a")
        ?.samples.map(({ labels: { x, y }, value }) => [x, y, value]),
      [
        ['q"\\\n', "", 1000],
        [undefined, undefined, Number.POSITIVE_INFINITY],
      ],
    );
  });

  for (const [problem, text] of [
    ["a sample without a metric", "a 1\n"],
    ["a sample of another metric", `${head}b 1\n`],
    ["a missing last line break", `${head}a 1`],
    ["two equal series", `${head}a{x="1",y="2"} 1\na{y="2",x="1"} 1\n`],
    ["a metric twice", head + head],
    ["an open quote", `${head}a{x="1} 1\n`],
    ["a label twice", `${head}a{x="1",x="2"} 1\n`],
    ["a negative counter", `${head}a -1\n`],
    ["a value that is not a number", `${head}a one\n`],
    ["a histogram without +Inf", `${histogram}h_bucket{le="1"} 1\nh_sum 1\nh_count 1\n`],
    ["buckets that shrink", `${histogram}h_bucket{le="1"} 2\nh_bucket{le="+Inf"} 1\nh_sum 1\nh_count 1\n`],
    ["a count unlike the buckets", `${histogram}h_bucket{le="+Inf"} 1\nh_sum 1\nh_count 2\n`],
  ] as const)
    test(`refuses ${problem}`, () => {
      assert.throws(() => readExposition(text), /Not a valid exposition|does not end/);
    });
});
