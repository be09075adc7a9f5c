import assert from "node:assert/strict";
import { forbiddenKeys } from "@muster/language";
import fc from "fast-check";
import { describe, test } from "vitest";
import { HttpProblem } from "../errors/http-problem.ts";
import { parseJsonBody, scanJson } from "./parse-json-body.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

function refusal(body: string | Uint8Array): HttpProblem {
  try {
    parseJsonBody(typeof body === "string" ? bytes(body) : body);
  } catch (error) {
    assert.ok(error instanceof HttpProblem);
    return error;
  }
  assert.fail(`accepted ${String(body)}`);
}

const numberedKeys = (count: number) => Array.from({ length: count }, (_, i) => `"${i}":1`).join(",");

function nodesOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1;
  const keys = Array.isArray(value) ? 0 : Object.keys(value).length;
  return Object.values(value).reduce((sum: number, item) => sum + nodesOf(item), 1 + keys);
}

describe("the body parser", () => {
  test("the body parser reads any output of JSON.stringify unchanged", () => {
    const isPlain = (text: string) => text.isWellFormed() && !text.includes("\0");
    const key = fc.string({ unit: "binary" }).filter((k) => isPlain(k) && !forbiddenKeys.has(k));
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: "small" },
        fc.string({ unit: "binary" }).filter(isPlain),
        fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => (Object.is(n, -0) ? 0 : n)),
        fc.constantFrom(true, false, null),
        fc.array(tie("value"), { maxLength: 5 }),
        fc.dictionary(key, tie("value"), { maxKeys: 5, noNullPrototype: true }),
      ),
    }));
    fc.assert(
      fc.property(value, (wanted) => {
        assert.deepEqual(parseJsonBody(bytes(JSON.stringify(wanted))), wanted);
        assert.deepEqual(parseJsonBody(bytes(JSON.stringify(wanted, null, 2))), wanted);
      }),
    );
  });

  test("the body parser turns any bytes into a value or a 400", () => {
    const fragments = fc.constantFrom(
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      '"',
      "\\",
      '"a"',
      "1",
      "null",
      "\\u0000",
      " ",
    );
    const text = fc.array(fragments, { maxLength: 30 }).map((parts) => bytes(parts.join("")));
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array(), text), (body) => {
        try {
          parseJsonBody(body);
        } catch (error) {
          assert.ok(error instanceof HttpProblem && error.status === 400, String(error));
        }
      }),
      { numRuns: 500 },
    );
  });

  test("the body parser reads an empty body as undefined", () => {
    assert.equal(parseJsonBody(new Uint8Array()), undefined);
  });

  const invalid: Array<[title: string, body: string | Uint8Array]> = [
    ["text that is not JSON", "{"],
    ["two values", "{} {}"],
    ["an extra closing bracket", "[]]"],
    ["invalid UTF-8", new Uint8Array([0x22, 0xff, 0x22])],
    ["a duplicate key", '{"a":1,"b":{"a":2},"a":3}'],
    ["a duplicate key that is escaped once", '{"a":1,"\\u0061":2}'],
    ["__proto__", '{"a":{"__proto__":1}}'],
    ["an escaped __proto__", '{"\\u005f_proto__":1}'],
    ["constructor", '[{"constructor":{}}]'],
  ];
  for (const [title, body] of invalid) {
    test(`a body with ${title} is INVALID_JSON, and the message does not quote it`, () => {
      const problem = refusal(body);
      assert.equal(problem.code, "INVALID_JSON");
      assert.ok(problem.message.length < 200);
    });
  }

  const tooLarge: Array<[title: string, body: string, limit: string]> = [
    ["endless nesting", "[".repeat(100_000), "64 levels"],
    ["nesting one level too deep", "[".repeat(65) + "]".repeat(65), "64 levels"],
    ["an array with one value too many", `[${"1,".repeat(99_999)}1]`, "100000 values and keys"],
    ["an object with one key too many", `{${numberedKeys(50_000)}}`, "100000 values and keys"],
    [
      "a million small keys",
      `{"input":{"USER_MESSAGE":{${numberedKeys(1_000_000)}}}}`,
      "100000 values and keys",
    ],
  ];
  for (const [title, body, limit] of tooLarge) {
    test(`a body with ${title} is PAYLOAD_TOO_LARGE, and the message names the limit`, () => {
      const problem = refusal(body);
      assert.equal(problem.code, "PAYLOAD_TOO_LARGE");
      assert.ok(problem.message.includes(limit), problem.message);
    });
  }

  test("a body may have exactly 100,000 values and keys", () => {
    assert.deepEqual(parseJsonBody(bytes(`[ ${"-1.5e3,\n true,".repeat(49_999)} null]`)), [
      ...Array.from({ length: 49_999 }, () => [-1500, true]).flat(),
      null,
    ]);
    assert.equal(refusal(`[ ${"-1.5e3,\n true,".repeat(49_999)} null, {}]`).code, "PAYLOAD_TOO_LARGE");
  });

  test("the scanner counts as many values and keys as the parsed value has", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(undefined, 2), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        // The generator likes the keys that the scanner refuses.
        fc.pre(!/"(__proto__|constructor)":/.test(text));
        assert.equal(scanJson(text), nodesOf(value));
      }),
    );
  });

  test("a body may repeat a key in different objects and contain prototype names as values", () => {
    const body = '{"a":{"x":1},"b":[{"x":"constructor"},{"x":"__proto__"}],"c":{"x":"\\"a\\":{"}}';
    assert.deepEqual(parseJsonBody(bytes(body)), JSON.parse(body));
  });

  test("a body may contain the key `prototype`, which only functions have", () => {
    assert.deepEqual(parseJsonBody(bytes('{"input":{"X":{"prototype":1}}}')), {
      input: { X: { prototype: 1 } },
    });
  });

  test("NUL and half a surrogate pair are refused with their paths", () => {
    const nul = refusal('{"input":{"A":["x","\\u0000"]}}');
    assert.equal(nul.code, "INVALID_REQUEST");
    assert.equal(nul.issues[0]?.path, "input.A.1");
    assert.equal(refusal('{"name":"\\ud83d"}').issues[0]?.path, "name");
    assert.deepEqual(parseJsonBody(bytes('["\\ud83d\\ude00","\\\\u0000"]')), ["😀", "\\u0000"]);
  });

  test("a long key does not make the error of a bad value long", () => {
    const problem = refusal(`{"input":{"${"k".repeat(1_000_000)}":{"A":"\\u0000"}}}`);
    assert.match(
      problem.message,
      /^The body is invalid: input\.k+…k+\.A must not contain a NUL character\.$/,
    );
    assert.match(problem.issues[0]?.path ?? "", /^input\.k+…k+\.A$/);
    assert.ok(problem.toJson("req_1").length < 500);
  });

  test("a number that would become null is refused with its path", () => {
    for (const number of ["1e999", "-1E+0400", "1".repeat(310), `${"1".repeat(300)}e99`]) {
      const problem = refusal(`{"input":{"A":[1,${number}]}}`);
      assert.equal(problem.code, "INVALID_REQUEST");
      assert.equal(problem.issues[0]?.path, "input.A.1");
    }
    for (const number of ["1e308", "1.5e-999", "1".repeat(308)]) {
      assert.deepEqual(parseJsonBody(bytes(`["1e999",${number}]`)), ["1e999", Number(number)]);
    }
  });

  test("the body parser takes time in proportion to the size of a hostile body", () => {
    const bodies = [
      `[${"{},".repeat(49_000)}{}]`,
      `[${" ".repeat(4_000_000)}]`,
      `[0.${"1".repeat(4_000_000)}]`,
      `"${"\\\\".repeat(1_000_000)}"`,
      `{"a":"${'\\"'.repeat(1_000_000)}"}`,
      `["${"1".repeat(4_000_000)}"]`,
      `["${`${"1".repeat(199)} `.repeat(20_000)}"]`,
    ];
    // With time in proportion to the square of the size, each would outlast the test's timeout.
    for (const body of bodies) parseJsonBody(bytes(body));
  });
});
