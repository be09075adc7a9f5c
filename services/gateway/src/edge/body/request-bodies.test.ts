import assert from "node:assert/strict";
import { onTestFinished, test, vi } from "vitest";
import { HttpProblem } from "../errors/http-problem.ts";
import { parseJsonBody } from "./parse-json-body.ts";
import { createBodyReader, jsonTextOf, RelayedJson } from "./request-bodies.ts";

const owner = { projectId: "prj", principal: "key" };

const plan = {
  fields: ["input", "results", "name"],
  maxItems: 3,
  objects: ["input"],
  values: ["results.*.result"],
};
const filler = "x".repeat(200_000);
const bytesOf = (text: string) => Buffer.from(text);

function openReader() {
  const reader = createBodyReader();
  onTestFinished(() => reader.close());
  return reader;
}

async function outcomeOf(read: () => unknown): Promise<unknown> {
  try {
    return await read();
  } catch (error) {
    assert.ok(error instanceof HttpProblem, String(error));
    return { code: error.code, message: error.message, issues: error.issues };
  }
}

test("a large body has the same value, or the same refusal, as the parser of small ones returns", async () => {
  const reader = openReader();
  const bodies = [
    `{"input":{"a":[1,2]},"filler":"${filler}"}`,
    `"${filler}"`,
    `{"filler":"${filler}","filler":1}`,
    `{"filler":"${filler}","__proto__":1}`,
    `{"filler":"${filler}"`,
    `{"filler":"${filler}","input":{"a":"\\u0000"}}`,
    `{"filler":"${filler}","input":[1e999]}`,
    `[${"0,".repeat(100_000)}0]`,
    `${"[".repeat(70)}"${filler}"${"]".repeat(70)}`,
  ];
  for (const body of bodies) {
    const expected = await outcomeOf(() => parseJsonBody(bytesOf(body)));
    assert.deepEqual(
      await outcomeOf(() => reader.read(bytesOf(body), undefined, owner)),
      expected,
      body.slice(0, 80),
    );
  }
  const invalidUtf8 = Buffer.concat([Buffer.alloc(200_000, "x"), Buffer.from([0xff])]);
  const expected = await outcomeOf(() => parseJsonBody(invalidUtf8));
  assert.deepEqual(await outcomeOf(() => reader.read(invalidUtf8, plan, owner)), expected);
});

test("the values of the plan stay JSON, the fields outside it are dropped, and the rest is parsed", async () => {
  const body = {
    input: { TEXT: filler, ключ: ["€", { nested: null }] },
    results: [
      { id: "a", result: { wide: [1, 2] } },
      { id: "b", result: "text" },
      { id: "c", error: "no" },
    ],
    name: "n",
    unknown: { filler },
  };
  const read = await openReader().read(bytesOf(JSON.stringify(body)), plan, owner);
  assert.deepEqual(read, {
    input: new RelayedJson(JSON.stringify(body.input)),
    results: [
      { id: "a", result: new RelayedJson('{"wide":[1,2]}') },
      { id: "b", result: new RelayedJson('"text"') },
      { id: "c", error: "no" },
    ],
    name: "n",
  });
  assert.equal(jsonTextOf(new RelayedJson("[1]")), "[1]");
});

test("a value of the wrong type is not relayed, so that the schema refuses it", async () => {
  const read = (body: object) => openReader().read(bytesOf(JSON.stringify({ ...body, filler })), plan, owner);
  assert.deepEqual(await read({ input: [1], results: { 0: { result: 1 } } }), {
    input: [1],
    results: { 0: { result: 1 } },
  });
  assert.deepEqual(await read({ input: null, results: [null, 1, "a"] }), {
    input: null,
    results: [null, 1, "a"],
  });
  assert.deepEqual(await openReader().read(bytesOf(`["${filler}"]`), plan, owner), [filler]);
});

test("a list that is too long for the schema is cut to one item more, so that not every item is checked", async () => {
  const body = { results: Array.from({ length: 90_000 }, () => 0), name: [1, 2, 3], filler };
  const read = await openReader().read(bytesOf(JSON.stringify(body)), plan, owner);
  assert.deepEqual(read, { results: [0, 0, 0, 0], name: [1, 2, 3] });
});

test("a small body is parsed at once, without a promise", () => {
  vi.spyOn(performance, "now").mockReturnValue(0);
  assert.deepEqual(openReader().read(bytesOf('{"input":{"a":1}}'), plan, owner), { input: { a: 1 } });
});

test("too many large bodies at a time are refused with UNAVAILABLE", async () => {
  const reader = openReader();
  const body = JSON.stringify({ filler });
  const outcomes = await Promise.all(
    Array.from({ length: 64 }, () => outcomeOf(() => reader.read(bytesOf(body), undefined, owner))),
  );
  const refused = outcomes.filter(
    (outcome) => outcome !== null && typeof outcome === "object" && "code" in outcome,
  );
  assert.ok(refused.length > 0 && refused.length < 64, `${refused.length} refused`);
  assert.match(JSON.stringify(refused[0]), /UNAVAILABLE.*Too many large requests/);
});

test("a project with many large bodies delays that of another one by one of its own, and refuses none", async () => {
  const reader = openReader();
  const body = bytesOf(JSON.stringify({ filler }));
  const order: string[] = [];
  const read = async (projectId: string) => {
    await reader.read(Buffer.from(body), plan, { projectId, principal: "key" });
    order.push(projectId);
  };
  const flood = Promise.allSettled(Array.from({ length: 60 }, () => read("flood")));
  await read("other");
  assert.ok(order.length <= 10, `${order.length} were read first`);
  await flood;
});
