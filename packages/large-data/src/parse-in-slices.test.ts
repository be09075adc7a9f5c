import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { parseInSlices } from "./parse-in-slices.ts";

const noPause = async (): Promise<void> => {};

type Outcome = { value: unknown } | "refused";

function whole(text: string): Outcome {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return "refused";
  }
}

async function sliced(text: string, sliceLength: number): Promise<Outcome> {
  try {
    return { value: await parseInSlices(text, noPause, sliceLength) };
  } catch (error) {
    assert.ok(error instanceof SyntaxError);
    return "refused";
  }
}

const sliceLengths = fc.integer({ min: 1, max: 40 });

test("any JSON has the same value in slices of any length, with any spacing", () =>
  fc.assert(
    fc.asyncProperty(
      fc.jsonValue(),
      fc.constantFrom("", " ", "\n"),
      sliceLengths,
      async (value, space, length) => {
        const text = JSON.stringify(value, null, space);
        assert.deepEqual(await sliced(text, length), whole(text));
      },
    ),
    { numRuns: 1_000 },
  ));

test("a text is refused in slices exactly if it is refused as a whole", () => {
  const pieces = fc.constantFrom("{", "}", "[", "]", ",", ":", '"a"', '"b\\""', "1", "null", " ", '"', "x");
  return fc.assert(
    fc.asyncProperty(fc.array(pieces, { maxLength: 14 }), sliceLengths, async (parts, length) => {
      const text = parts.join("");
      assert.deepEqual(await sliced(text, length), whole(text), text);
    }),
    { numRuns: 4_000 * Number(process.env.LONG_RUN ?? 1) },
  );
});

test("text before the value is refused, even if the value is parsed in slices", async () => {
  for (const text of ['1["a",null]', '"a"{"b":1,"c":2}', "null [1,2]"])
    assert.equal(await sliced(text, 1), "refused", text);
});

test("valid JSON with one character changed is judged as by JSON.parse", () =>
  fc.assert(
    fc.asyncProperty(
      fc.jsonValue(),
      fc.nat(),
      fc.constantFrom("", ",", "]", "}", "[", "{", ":", '"', "1"),
      sliceLengths,
      async (value, at, by, length) => {
        const valid = JSON.stringify(value);
        const place = at % valid.length;
        const text = valid.slice(0, place) + by + valid.slice(place + 1);
        assert.deepEqual(await sliced(text, length), whole(text), text);
      },
    ),
    { numRuns: 1_000 * Number(process.env.LONG_RUN ?? 1) },
  ));

test("a string longer than a slice has the same value, whatever is escaped in it and wherever it is cut", () => {
  const characters = fc.constantFrom('"', "\\", "\n", "\u0000", "/", "u", "a", "€", "😀", "\ud83d");
  const string = fc.string({ unit: characters, maxLength: 60 });
  const place = fc.constantFrom<(text: string) => unknown>(
    (text) => text,
    (text) => [text, [], text],
    (text) => ({ a: 1, b: { [text]: text }, c: [text] }),
  );
  return fc.assert(
    fc.asyncProperty(string, place, sliceLengths, async (value, put, length) => {
      const text = JSON.stringify(put(value));
      assert.deepEqual(await sliced(text, length), whole(text), text);
    }),
    { numRuns: 3_000 },
  );
});

test("a damaged escape in a long string is refused, wherever it is cut", async () => {
  for (const damaged of ["\\x", "\\u12", "\\u12x4", "\n"]) {
    for (let length = 1; length < 20; length++) {
      assert.equal(
        await sliced(`["${"y".repeat(12)}${damaged}${"y".repeat(12)}"]`, length),
        "refused",
        damaged,
      );
    }
  }
});

test("one long string of escapes is read in many slices, with a pause after each", async () => {
  const value = { text: '\n"'.repeat(100_000) };
  let pauses = 0;
  const count = async () => {
    pauses += 1;
  };
  assert.deepEqual(await parseInSlices(JSON.stringify(value), count, 10_000), value);
  assert.ok(pauses >= 80, `${pauses} pauses`);
});

test("the key `__proto__` becomes an ordinary property, as with JSON.parse", async () => {
  const text = '{"a":[1,2],"__proto__":{"b":[1,2,3]},"c":1}';
  const parsed = await parseInSlices(text, noPause, 1);
  assert.deepEqual(parsed, JSON.parse(text));
  assert.equal(Object.getPrototypeOf(parsed), Object.prototype);
});

test("a text with many members is parsed in many slices, with a pause after each", async () => {
  const value = { list: Array.from({ length: 50_000 }, (_, id) => ({ id, name: `item ${id}` })) };
  const text = JSON.stringify({ outer: [value] });
  let pauses = 0;
  const parsed = await parseInSlices(
    text,
    async () => {
      pauses += 1;
    },
    10_000,
  );
  assert.deepEqual(parsed, { outer: [value] });
  assert.ok(pauses >= Math.floor(text.length / 11_000), `${pauses} pauses in ${text.length} characters`);
});

test("other work runs between two slices", async () => {
  const text = JSON.stringify(Array.from({ length: 200_000 }, (_, index) => index));
  let isParsed = false;
  const parsing = parseInSlices(text).then(() => {
    isParsed = true;
  });
  let turns = 0;
  while (!isParsed) {
    turns += 1;
    await new Promise((resolve) => setImmediate(resolve));
  }
  await parsing;
  assert.ok(turns > 2, `only ${turns} turns`);
});
