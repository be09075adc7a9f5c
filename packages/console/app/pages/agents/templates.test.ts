import assert from "node:assert/strict";
import { compileDefinition } from "@muster/language/compile";
import { test } from "vitest";
import { templates } from "./templates.ts";

test("every template of an agent compiles without an error or a warning", () => {
  for (const { title, format, protocol, prompts } of templates) {
    const settings = { slug: "new", name: title, format };
    const source = { settings, protocol: protocol.replaceAll("MODEL", "demo/echo"), prompts, references: [] };
    const { issues } = compileDefinition(source);
    const problems = issues.filter(({ severity }) => severity !== "info");
    assert.deepEqual(problems, [], title);
  }
});
