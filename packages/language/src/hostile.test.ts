import assert from "node:assert/strict";
import fc from "fast-check";
import { describe, test } from "vitest";
import { warmCpuTimeMs } from "../test/support/cpu-time.ts";
import { hostileDocuments } from "../test/support/hostile-documents.ts";
import { compile, prompts, protocol } from "../test/support/support-chat.ts";

describe("hostile protocols", () => {
  for (const [what, text] of Object.entries(hostileDocuments)) {
    test(`hostile YAML is rejected quickly with one INVALID_YAML: ${what}`, () => {
      const tookMs = warmCpuTimeMs(1_000, () => {
        const { ok, issues } = compile({ protocol: text });
        assert.equal(ok, false);
        assert.deepEqual(
          issues.map(({ code }) => code),
          ["INVALID_YAML"],
        );
      });
      // The benchmark's limit is 100 ms; here the code may be cold.
      assert.ok(tookMs < 1_000, `${tookMs} ms`);
    });
  }

  test("prototype keys never reach an object", () => {
    for (const key of ["__proto__", "constructor"]) {
      const sections = ["input", "variables", "types", "tools", "triggers"];
      for (const section of sections) {
        const { issues } = compile({ protocol: `${section}: { ${key}: { polluted: yes } }` });
        assert.ok(
          issues.some(({ code }) => code === "INVALID_NAME"),
          `${section}.${key}`,
        );
      }
      const literal = `input: { A: { type: unknown, default: { ${key}: { polluted: yes } } } }`;
      assert.ok(compile({ protocol: literal }).issues.some(({ path }) => path === `input.A.default.${key}`));
    }
    assert.equal(Reflect.get({}, "polluted"), undefined);
  });

  test("types and prompts that double with every step are rejected instead of expanded", () => {
    const chain = (count: number, entry: (index: number) => string) =>
      Array.from({ length: count }, (_, i) => entry(i));
    const types = chain(20, (i) => `  T${i}: { a: { type: T${i + 1} }, b: { type: T${i + 1} } }\n`).join("");
    const huge = compile({
      protocol: protocol.replace("types:\n", `types:\n${types}  T20: { a: { type: string } }\n`),
    });
    assert.ok(huge.issues.some(({ code }) => code === "LIMIT_EXCEEDED"));
    const bomb = chain(30, (i) => `{{@p${i + 1}}}{{@p${i + 1}}}`).map((content, i) => ({
      name: `p${i}`,
      content,
    }));
    const deep = compile({ prompts: [...prompts, ...bomb, { name: "p30", content: "x" }] });
    assert.ok(deep.issues.some(({ code }) => code === "LIMIT_EXCEEDED"));
  });
});

describe("hostile prompts", () => {
  for (const [what, text] of Object.entries({
    "conditionals in conditionals": "{{#if A}}".repeat(7_000),
    "conditionals in else branches": "{{#if A}}{{else}}".repeat(3_800),
    "conditionals in else-if branches": "{{#if A}}{{else if B}}".repeat(2_900),
    "conditionals that all end": "{{#if A}}".repeat(4_000) + "{{/if}}".repeat(4_000),
  })) {
    test(`${what} are rejected at any depth`, () => {
      const { ok, issues } = compile({ prompts: [...prompts, { name: "deep", content: text }] });
      assert.equal(ok, false);
      assert.ok(issues.some(({ code, path }) => code === "LIMIT_EXCEEDED" && path === "prompts.3.content"));
    });
  }

  test("a prompt that is included beyond the limit of conditionals counts as used", () => {
    const content = `${"{{#if A}}".repeat(33)}{{@parts/pro}}${"{{/if}}".repeat(33)}`;
    const { issues } = compile({ prompts: [{ name: "system", content }, ...prompts.slice(1)] });
    assert.ok(
      issues.every(({ code }) => code !== "UNUSED_PROMPT"),
      JSON.stringify(issues),
    );
  });
});

const words = [
  "a",
  "A",
  "type",
  "string",
  "Ticket",
  "agent",
  "block",
  "next-message",
  "{{",
  "}}",
  "[]",
  "*",
  "&a",
  "- ",
  ": ",
  "\n",
  "  ",
  "#",
  "'",
  '"',
  "|",
  ">",
  "{",
  "}",
  "[",
  "]",
  ",",
  "!!",
  "%",
  "~",
  "user-message",
  "COMPANY",
];

describe("generated definitions", () => {
  const word = fc.constantFrom(...words);
  const text = fc.oneof(
    fc.string(),
    fc.array(word, { maxLength: 60 }).map((parts) => parts.join("")),
  );

  test("compiling random text never throws and fails only with an error", () => {
    fc.assert(
      fc.property(text, text, (yaml, prompt) => {
        const { ok, issues } = compile({ protocol: yaml, prompts: [{ name: "system", content: prompt }] });
        assert.equal(ok, !issues.some(({ severity }) => severity === "error"));
      }),
      { numRuns: 100 * Number(process.env.LONG_RUN ?? 1) },
    );
  });

  test("compiling a damaged definition never throws and fails only with an error", () => {
    const at = fc.nat(protocol.length);
    fc.assert(
      fc.property(at, fc.nat(40), text, (start, length, piece) => {
        const damaged = protocol.slice(0, start) + piece + protocol.slice(start + length);
        const { ok, issues } = compile({ protocol: damaged });
        assert.equal(ok, !issues.some(({ severity }) => severity === "error"));
      }),
      { numRuns: 200 * Number(process.env.LONG_RUN ?? 1) },
    );
  });

  test("a protocol with any JSON in any place compiles or is rejected with an error", () => {
    const places = [
      "input",
      "variables",
      "resources",
      "types",
      "tools",
      "agent",
      "triggers",
      "handlers",
    ] as const;
    const keys = fc.oneof(
      word,
      fc.constantFrom("description", "anyOf", "items", "model", "input", "system", "USER", "Answer"),
    );
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: "small" },
        fc.constantFrom(null, true, 0, 1.5, "string", "demo/echo", "COMPANY", "main"),
        fc.array(tie("value"), { maxLength: 4 }),
        fc.dictionary(keys, tie("value"), { maxKeys: 5 }),
      ),
    }));
    fc.assert(
      fc.property(
        fc.record(Object.fromEntries(places.map((place) => [place, value])), { requiredKeys: [] }),
        (json) => {
          const { ok, issues } = compile({ protocol: JSON.stringify(json) });
          assert.equal(ok, !issues.some(({ severity }) => severity === "error"));
        },
      ),
      { numRuns: 200 * Number(process.env.LONG_RUN ?? 1) },
    );
  });
});
