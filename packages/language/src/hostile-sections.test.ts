import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { warmCpuTimeMs } from "../test/support/cpu-time.ts";
import { compile } from "../test/support/support-chat.ts";

const times = (count: number, piece: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => piece(index)).join("");
const head = "agent: { model: demo/echo }\ntriggers: { a: }\n";
const answer = "handlers: { a: { S: { block: next-message } } }\n";
const parameters = times(1_000, (i) => `p${i}: { type: string }, `);
const tool = `tools: { t: { description: x, parameters: { ${parameters} } } }\nhandlers:\n  a:\n`;
const variants = times(420, (i) => `  T${i}: { k: { type: integer, const: ${i} } }\n`);
const union = `${variants}  U: { discriminator: k, anyOf: [${times(420, (i) => `T${i},`)}] }\n`;
const names = times(1_000, (i) => `  LONG_NAME_${i}: { type: string }\n`);

/** Valid YAML, each as large as the limits allow. */
const protocols: Record<string, string> = {
  "calls without any of many parameters":
    head + tool + times(900, (i) => `    B${i}: { block: tool-call, tool: t }\n`),
  "calls with unknown parameters among many":
    head + tool + times(450, (i) => `    B${i}: { block: tool-call, tool: t, input: { px: 1, py: 2 } }\n`),
  "values of a union with many variants": `${head}${answer}types:\n${union}variables: { A: { type: U, enum: [${times(1_500, () => "{ k: 419 },")}] } }`,
  "mistakes in many names": `${head}${answer}variables:\n${names}input: { ${times(1_500, (i) => `LONG_NAMX_${i}: { type: strin },`)} }`,
  "outputs into unknown variables among many": `${head}input:\n${names}handlers:\n  a:\n${times(900, (i) => `    B${i}: { block: next-message, output: X${i} }\n`)}`,
  "uses of unknown tools among many": `tools:\n${times(1_500, (i) => `  getTool_${i}: { description: x }\n`)}triggers: { a: }\nagent: { model: demo/echo, tools: [${times(2_500, (i) => `x${i},`)}] }\n${answer}`,
  "many threads": `${head}handlers:\n  a:\n${times(1_100, (i) => `    B${i}: { block: start-thread, thread: t${i}, model: demo/echo }\n`)}`,
};

describe("sections of the maximum size", () => {
  for (const [what, protocol] of Object.entries(protocols)) {
    test(`${what} are compiled quickly`, () => {
      const tookMs = warmCpuTimeMs(700, () => {
        const { issues } = compile({ protocol, prompts: [] });
        assert.ok(
          issues.every(({ code }) => code !== "INVALID_YAML"),
          issues[0]?.message,
        );
      });
      // A tenth of a second once the code is warm.
      assert.ok(tookMs < 700, `${tookMs} ms`);
    });
  }
});
