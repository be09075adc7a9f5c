import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "vitest";
import { blocksNotRunYet, contextKeysNotRunYet, threadKeysNotRunYet } from "./availability.ts";
import { compileDefinition } from "./compile-definition.ts";
import { definitionLimits } from "./definition-limits.ts";
import { diagnosticCodes } from "./diagnostics.ts";
import { protocolGrammar } from "./grammar/protocol-grammar.ts";
import type { FieldShapes, Shape } from "./grammar/shapes.ts";

const page = (name: string) => readFileSync(new URL(`../../../docs/${name}`, import.meta.url), "utf8");

const readme = page("../README.md");
const notRunYet: ReadonlySet<string> = new Set([
  ...Object.values(blocksNotRunYet),
  ...Object.values(threadKeysNotRunYet),
  ...Object.values(contextKeysNotRunYet),
]);

test("the README lists the parts of the language that do not run yet, and no others", () => {
  const [, row = ""] = /^\| in agents: ([^|]*) \|/m.exec(readme) ?? [];
  const labels = Array.from(notRunYet, (label) => label.toLowerCase());
  assert.deepEqual(row.toLowerCase().split(", ").toSorted(), labels.toSorted());
});

describe("docs/diagnostics.md", () => {
  const sections = { error: "Errors", warning: "Warnings", info: "Infos" } as const;
  const parts = page("diagnostics.md").split(/^## /m).slice(1);

  for (const [severity, title] of Object.entries(sections)) {
    test(`docs/diagnostics.md explains every ${severity} and nothing else under ${title}`, () => {
      const part = parts.find((text) => text.startsWith(`${title}\n`)) ?? "";
      const explained = [...part.matchAll(/^### (.*)$/gm)].map(([, code]) => code);
      const codes = Object.entries(diagnosticCodes).filter(([, level]) => level === severity);
      assert.deepEqual(explained.toSorted(), codes.map(([code]) => code).toSorted());
    });
  }
});

describe("docs/protocol.md", () => {
  const text = page("protocol.md");
  const blocks = [...`${text}${readme}`.matchAll(/^```(\w+)(?: ([^\n]*))?\n(.*?)^```$/gms)];
  const definitions = blocks.filter(([, language, info]) => language === "yaml" && info !== undefined);

  test("docs/protocol.md contains complete definitions of both formats", () => {
    const formats = definitions.map(([, , info]) => info?.split(":")[0]);
    assert.ok(formats.includes("interactive") && formats.includes("worker"));
  });

  for (const [, , info = "", protocol = ""] of definitions) {
    test(`the example in docs/protocol.md compiles without errors or warnings: ${info}`, () => {
      const format = info.startsWith("worker") ? "worker" : "interactive";
      const named = (pattern: RegExp) =>
        new Set([...protocol.matchAll(pattern)].map(([, name]) => name ?? ""));
      const prompts = [...named(/(?:prompt|system): ([a-z/-]+)/g)].map((name) => ({ name, content: name }));
      const references = [...named(/references: \[([a-z-]+)\]/g)].map((name) => ({
        name,
        description: name,
        content: "",
      }));
      const settings = { slug: "example", name: "Example", format } as const;
      const { ok, issues } = compileDefinition({ settings, protocol, prompts, references });
      const allowed = new Set(["NOT_AVAILABLE", "DEPRECATED_FIELD", "IMPLICIT_DEFAULT", "UNUSED_MAPPING"]);
      assert.deepEqual(
        issues.filter(({ code }) => !allowed.has(code)),
        [],
      );
      assert.ok(ok);
    });
  }

  test("docs/protocol.md names every key", () => {
    const keys = new Set([
      ...keysOf(protocolGrammar.formats.interactive),
      ...keysOf(protocolGrammar.formats.worker),
    ]);
    for (const key of keys) assert.match(text, new RegExp(`\`${key}[\`:]|^ *${key}:|[{,] ${key}:`, "m"), key);
  });

  test("docs/protocol.md lists every kind of block with its keys and its default display", () => {
    for (const [kind, { fields, defaultDisplay }] of Object.entries(protocolGrammar.blocks)) {
      const [row = ""] = new RegExp(`^\\| \`${kind}\` \\|.*\\| ${defaultDisplay} \\|$`, "m").exec(text) ?? [];
      assert.notEqual(row, "", kind);
      if (row.includes("all keys of a thread")) continue;
      const own = Object.entries(fields).filter(([key, { doc }]) => !isCommon(key, doc));
      for (const [key] of own) assert.match(row, new RegExp(`\`${key}[\`:]`), `${kind}: ${key}`);
    }
  });

  test("docs/protocol.md lists every feature that does not run yet", () => {
    const [, part = ""] = text.split("## What does not run yet");
    const listed = [...part.matchAll(/^\* \*\*(.*)\*\*:/gm)].map(([, what]) => what);
    assert.deepEqual(listed.toSorted(), [...notRunYet].toSorted());
  });

  test("docs/protocol.md states the current limits", () => {
    const { protocolBytes, prompts, promptBytes, promptsBytes, references, depth, lexemes } =
      definitionLimits;
    const kib = [protocolBytes, promptBytes].map((bytes) => `${bytes / 1024} KiB`);
    const limits = [
      ...kib,
      `${promptsBytes / 1024 / 1024} MiB`,
      `${prompts} prompts`,
      `${references} references`,
    ];
    for (const limit of [...limits, `${depth} levels`, lexemes.toLocaleString("en")])
      assert.ok(text.includes(limit), limit);
  });
});

/** Whether the sentence before the table says that every kind of block accepts the key. */
function isCommon(key: string, doc: string): boolean {
  return ["thread", "display", "title", "description"].includes(key) || doc.startsWith("Has no effect");
}

function keysOf(fields: FieldShapes): string[] {
  return Object.entries(fields).flatMap(([name, { shape }]) => [name, ...keysIn(shape)]);
}

function keysIn(shape: Shape): string[] {
  if (shape.kind === "object") return keysOf(shape.fields);
  if (shape.kind === "list") return keysIn(shape.items);
  if (shape.kind === "map") return keysIn(shape.values);
  if (shape.kind === "anyOf") return shape.shapes.flatMap(keysIn);
  return shape.kind === "tagged" ? Object.values(shape.variants).flatMap(({ fields }) => keysOf(fields)) : [];
}
