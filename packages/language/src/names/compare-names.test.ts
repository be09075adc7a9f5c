import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { warmCpuTimeMs } from "../../test/support/cpu-time.ts";
import { compile } from "../../test/support/support-chat.ts";

describe("definitions that make the compiler compare names", () => {
  const settingsOf = (count: number, line: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => line(index)).join("");
  const names = settingsOf(200, (i) => `  LONG_NAME_OF_A_VARIABLE_${i}: { type: string }\n`);
  const call = settingsOf(2_000, (i) => `        a${i}: LONG_NAME_OF_A_VARIABEL_X${i}\n`);
  const documents = {
    "many misspelt names": `input:\n${names}agent: { model: demo/echo, input: [${settingsOf(3_000, (i) => `LONG_NAMX_${i},`)}] }\n`,
    "many literals in capitals": `input:\n${names}handlers:\n  u:\n    B:\n      block: tool-call\n      tool: t\n      input:\n${call}`,
  };
  for (const [what, text] of Object.entries(documents)) {
    test(`${what} are compared within the time limit`, () => {
      const tookMs = warmCpuTimeMs(1_000, () => assert.equal(compile({ protocol: text }).ok, false));
      // At most about 350 ms; seconds without a bound.
      assert.ok(tookMs < 1_000, `${tookMs} ms`);
    });
  }
});
