import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type DiagnosticCode, diagnosticCodes } from "./diagnostics.ts";
import type { DefinitionSource } from "./source.ts";
import { compile, prompts, protocol, replaced, settings } from "./testing.ts";

interface Row {
  /** Changes to the right definition, which has no diagnostics. */
  source: Partial<DefinitionSource>;
  path: string;
  suggestions?: string[];
  /** What cannot be left out of the way. */
  also?: DiagnosticCode[];
}

const edit = (piece: string, by: string): Partial<DefinitionSource> => ({
  protocol: replaced(protocol, piece, by),
});
const system = (content: string): Partial<DefinitionSource> => ({
  prompts: prompts.map((prompt) => (prompt.name === "system" ? { ...prompt, content } : prompt)),
});

/** For every code a definition that provokes it, and nothing else. */
const rows: Record<DiagnosticCode, Row> = {
  INVALID_YAML: { source: edit("[get-account]", "[get-account"), path: "protocol" },
  DUPLICATE_KEY: { source: edit("agentic: true", "agentic: true\n  agentic: false"), path: "agent.agentic" },
  UNKNOWN_KEY: { source: edit("agentic:", "agentik:"), path: "agent.agentik", suggestions: ["agentic"] },
  WRONG_TYPE: { source: edit("agentic: true", "agentic: yes"), path: "agent.agentic" },
  MISSING_FIELD: { source: edit("  model: demo/echo\n", ""), path: "agent.model" },
  INVALID_SLUG: { source: { settings: { ...settings, slug: "Not a slug" } }, path: "settings.slug" },
  INVALID_NAME: { source: edit("Order: {", "_x: { id: { type: string } }\n  Order: {"), path: "types._x" },
  UNKNOWN_TYPE: {
    source: edit("SUMMARY: { type: string", "SUMMARY: { type: strng"),
    path: "variables.SUMMARY.type",
    suggestions: ["string"],
  },
  CIRCULAR_TYPE: { source: edit("Order: {", "Order: { ticket: { type: Ticket },"), path: "types.Ticket" },
  INVALID_UNION: {
    source: edit("Order: {", "Both: { anyOf: [Order, Order], discriminator: id }\n  Order: {"),
    path: "types.Both",
  },
  UNKNOWN_PROMPT: {
    source: edit("system: system", "system: sistem"),
    path: "agent.system",
    suggestions: ["system"],
  },
  CIRCULAR_PROMPT: { source: system("{{@system}}"), path: "prompts.0.content" },
  UNBALANCED_CONDITION: { source: system("{{#if COMPANY}}"), path: "prompts.0.content" },
  UNDECLARED_VARIABLE: {
    source: edit("[COMPANY,", "[COMPANI,"),
    path: "agent.input.0",
    suggestions: ["COMPANY"],
  },
  ENUM_MISMATCH: {
    source: edit("enum: [free, pro]", "enum: [free, pro], default: gold"),
    path: "input.PLAN.default",
  },
  UNKNOWN_TOOL: {
    source: edit("tool: get-account", "tool: get-acount"),
    path: "handlers.user-message.Look up.tool",
    suggestions: ["get-account"],
  },
  MISSING_HANDLER: { source: edit("triggers:\n", "triggers:\n  other:\n"), path: "triggers.other" },
  MISSING_TRIGGER: {
    source: edit("handlers:\n", "handlers:\n  other: { Answer: { block: next-message } }\n"),
    path: "handlers.other",
  },
  UNKNOWN_THREAD: {
    source: edit("responseType: Ticket", "thread: mian"),
    path: "handlers.user-message.Answer.thread",
    suggestions: ["main"],
  },
  UNKNOWN_BLOCK: {
    source: edit("block: next-message", "block: next-mesage"),
    path: "handlers.user-message.Answer.block",
    suggestions: ["next-message"],
  },
  INVALID_MODEL: { source: edit("model: demo/echo", "model: demo"), path: "agent.model" },
  RESERVED_NAME: {
    source: edit("  get-account:", "  platform_web_search: { description: Mine }\n  get-account:"),
    path: "tools.platform_web_search",
  },
  INVALID_RESPONSE_TYPE: {
    source: edit("responseType: Ticket", "responseType: string"),
    path: "handlers.user-message.Answer.responseType",
  },
  FORMAT_MISMATCH: {
    source: edit("agent:\n", "steps: { Answer: { block: next-message } }\nagent:\n"),
    path: "steps",
  },
  READONLY_RESOURCE: {
    source: {
      protocol: replaced(
        `${protocol}    Store: { block: set-resource, resource: STATE, value: SUMMARY }\n`,
        "agent:\n",
        "resources: { STATE: { type: string, readonly: true } }\nagent:\n",
      ),
    },
    path: "handlers.user-message.Store.resource",
    also: ["DEPRECATED_FIELD"],
  },
  DUPLICATE_PROMPT: {
    source: { prompts: [...prompts, { name: "user", content: "" }] },
    path: "prompts.3.name",
  },
  NOT_AVAILABLE: { source: edit("agentic: true", "webSearch: true"), path: "agent.webSearch" },
  LIMIT_EXCEEDED: { source: { protocol: `${protocol}#${"x".repeat(128 * 1024)}` }, path: "protocol" },
  DEPRECATED_FIELD: {
    source: edit("agent:\n", "resources: { STATE: { type: string } }\nagent:\n"),
    path: "resources",
  },
  MISSING_DISPLAY_TITLE: {
    source: edit("Reads an account\n", "Reads an account\n    display: title\n"),
    path: "tools.get-account",
  },
};

describe("diagnostics", () => {
  test("the definition that the others are made from has none", () => {
    assert.deepEqual(compile().issues, []);
  });

  for (const [code, { source, path, suggestions, also = [] }] of Object.entries(rows)) {
    test(`${code} is reported once, at its place`, () => {
      const { ok, issues } = compile(source);
      const own = issues.filter((issue) => !also.includes(issue.code));
      assert.deepEqual(
        own.map((issue) => [issue.code, issue.path]),
        [[code, path]],
      );
      assert.deepEqual(own[0]?.suggestions, suggestions);
      assert.equal(ok, own[0]?.severity !== "error");
    });
  }

  test("severities are those of the table", () => {
    for (const { source } of Object.values(rows)) {
      for (const { code, severity } of compile(source).issues) assert.equal(severity, diagnosticCodes[code]);
    }
  });

  test("all come in one pass, each with the line and column of its place", () => {
    const broken = protocol
      .replace("agentic: true", "agentik: true")
      .replace("tool: get-account", "tool: get-acount")
      .replace("type: Ticket }", "type: Tickett }");
    const { issues } = compile({ protocol: broken });
    const found = issues.map(({ code, message }) => {
      const [, line, column] = /^Line (\d+), column (\d+): /.exec(message) ?? [];
      const text = broken.split("\n")[Number(line) - 1]?.slice(Number(column) - 1) ?? "";
      return [code, text.slice(0, 7)];
    });
    assert.deepEqual(found, [
      ["UNKNOWN_TYPE", "Tickett"],
      ["UNKNOWN_KEY", "agentik"],
      ["UNKNOWN_TOOL", "get-acou".slice(0, 7)],
    ]);
  });

  test("more than two hundred are counted, not listed", () => {
    const inputs = Array.from({ length: 400 }, (_, index) => `  V${index}: { type: x }\n`).join("");
    const { issues } = compile({ protocol: replaced(protocol, "input:\n", `input:\n${inputs}`) });
    assert.equal(issues.length, 201);
    assert.match(issues.at(-1)?.message ?? "", /200 more/);
  });
});
