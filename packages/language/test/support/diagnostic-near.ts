import type { DiagnosticCode } from "../../src/diagnostics.ts";
import {
  edit,
  knowsModel,
  listed,
  type Near,
  references,
  source,
  system,
  withFiles,
  withRemoteServer,
  withResource,
  withWorkers,
} from "./diagnostic-sources.ts";
import { prompts, protocol, settings } from "./support-chat.ts";

/** For every code, a valid definition that is close to one that provokes it. */
export const near: Readonly<Record<DiagnosticCode, Near>> = {
  INVALID_YAML: { source: edit(["[get-account]", "[ get-account, ]"]) },
  DUPLICATE_KEY: { source: edit(["  Answer:", "  Answer again: { block: next-message }\n    Answer:"]) },
  UNKNOWN_KEY: { source: edit(["temperature: off", "thinking: off"]) },
  WRONG_TYPE: { source: edit(["agentic: true", 'agentic: true # not "yes"']) },
  MISSING_FIELD: { source: edit(["  backupModel: demo/other\n", ""]) },
  INVALID_SLUG: { source: source({ settings: { ...settings, slug: "a-slug-2" } }) },
  INVALID_NAME: { source: edit(["Order: {", "X2: { id: { type: string } }\n  Order: {"]) },
  INVALID_TEXT: { source: system("You help {{COMPANY}}.{{@parts/pro}}\t\r\n\u{1f44b}") },
  UNKNOWN_TYPE: { source: edit(["TICKET: { type: Ticket }", "TICKET: { type: unknown }"]) },
  CIRCULAR_TYPE: { source: edit(["Order: {", "Basket: { order: { type: Order } }\n  Order: {"]) },
  INVALID_UNION: {
    source: edit([
      "Order: {",
      "A: { id: { type: string, const: a } }\n  B: { id: { type: string, const: b } }\n" +
        "  Both: { anyOf: [A, B], discriminator: id }\n  Order: {",
    ]),
  },
  UNKNOWN_PROMPT: {
    source: edit(["system: system\n  input: [COMPANY, { LEVEL: PLAN }]", "system: parts/pro"]),
    also: ["UNUSED_PROMPT", "UNUSED_VARIABLE"],
  },
  CIRCULAR_PROMPT: { source: system("{{@parts/pro}}{{@parts/pro.md}}") },
  UNBALANCED_CONDITION: { source: system("{{#if COMPANY}}{{@parts/pro}}{{/if}}") },
  UNDECLARED_VARIABLE: {
    source: edit(
      ["[COMPANY, { LEVEL: PLAN }]", "[COMPANY: SUMMARY, LEVEL: PLAN]"],
      ["  COMPANY: { type: string, default: Acme }\n", ""],
    ),
  },
  ENUM_MISMATCH: { source: edit(["enum: [free, pro]", "enum: [free, pro], default: pro"]) },
  UNKNOWN_TOOL: { source: edit(["tools: [get-account]", "tools: [get-account, get-account]"]) },
  UNKNOWN_PARAMETER: {
    source: edit([
      "Reads an account\n",
      'Reads an account\n    approval: { ask: { required: [deep] }, title: "{{userId}}" }\n',
    ]),
  },
  UNKNOWN_WORKER: { source: withWorkers("research"), also: ["NOT_AVAILABLE"] },
  WORKER_CYCLE: { source: withWorkers("supports", "workers: [supports]"), also: ["NOT_AVAILABLE"] },
  UNKNOWN_MCP_SERVER: {
    source: edit(
      ["agent:\n", "mcpServers: { tracker: { description: Issues, source: remote } }\nagent:\n"],
      ["agentic: true", "agentic: true\n  mcpServers: [tracker]"],
    ),
    also: ["NOT_AVAILABLE"],
  },
  UNKNOWN_SKILL: {
    source: edit(
      ["agent:\n", "skills: { charts: }\nagent:\n"],
      ["agentic: true", "agentic: true\n  skills: [charts]"],
    ),
    also: ["NOT_AVAILABLE"],
  },
  UNKNOWN_REFERENCE: { source: source({ references, protocol: listed }) },
  MISSING_HANDLER: {
    source: edit(
      ["triggers:\n", "triggers:\n  other:\n"],
      ["handlers:\n", "handlers:\n  other: { Answer: { block: next-message } }\n"],
    ),
  },
  MISSING_TRIGGER: {
    source: edit(["triggers:\n", "triggers: # one\n"], ["handlers:\n", "handlers: # one\n"]),
  },
  UNKNOWN_THREAD: {
    source: edit(
      ["responseType: Ticket", "responseType: Ticket, thread: side"],
      ["block: add-message,", "block: add-message, thread: side,"],
      ["    Add the", "    Open: { block: start-thread, thread: side, model: demo/echo }\n    Add the"],
    ),
  },
  UNKNOWN_BLOCK: { source: edit(["block: next-message", "block: 'next-message'"]) },
  INVALID_MODEL: { source: edit(["model: demo/echo", "model: aggregator/some/model:free"]) },
  PROVIDER_MISMATCH: {
    source: edit(
      ["input:\n", "input:\n  MODEL: { type: string, default: demo/echo }\n"],
      ["model: demo/echo", "model: MODEL\n  anthropic: { tools: { web-search: } }"],
    ),
    also: ["NOT_AVAILABLE"],
  },
  RESERVED_NAME: {
    source: edit(
      ["  get-account:", "  platform-search: { description: Mine }\n  get-account:"],
      ["tools: [get-account]", "tools: [get-account, platform-search]"],
    ),
  },
  INVALID_RESPONSE_TYPE: {
    source: edit(
      ["responseType: Ticket, output: TICKET", "responseType: Order"],
      ["  TICKET: { type: Ticket }\n", ""],
    ),
  },
  FORMAT_MISMATCH: {
    source: source({
      settings: { ...settings, format: "worker" },
      prompts: [],
      protocol:
        "steps:\n  Open: { block: start-thread, thread: main, model: demo/echo }\n  Answer: { block: next-message }",
    }),
  },
  READONLY_RESOURCE: {
    source: withResource("{ type: string, readonly: false }"),
    also: ["DEPRECATED_FIELD"],
  },
  DUPLICATE_PROMPT: {
    source: source({ prompts: [...prompts, { name: "parts/user", content: "" }] }),
    also: ["UNUSED_PROMPT"],
  },
  LIMIT_EXCEEDED: { source: source({ protocol: `${protocol}#${"x".repeat(100 * 1024)}` }) },
  DEPRECATED_FIELD: { source: edit(["agent:\n", "resources:\nagent:\n"]) },
  UNKNOWN_MODEL: { source: source(), options: { knowsModel } },
  UNUSED_PROMPT: {
    source: source({
      prompts: [
        ...prompts.map((prompt) =>
          prompt.name === "user" ? { ...prompt, content: "{{@draft}}{{USER_MESSAGE}}" } : prompt,
        ),
        { name: "draft", content: "" },
      ],
    }),
  },
  UNUSED_REFERENCE: { source: source({ references, protocol: listed }) },
  UNUSED_VARIABLE: {
    source: edit(
      ["variables:\n", "variables:\n  DRAFT: { type: string, default: none yet }\n"],
      ["input: [USER_MESSAGE]", "input: [USER_MESSAGE], uiContent: DRAFT"],
    ),
  },
  UNWRITTEN_VARIABLE: {
    source: edit(
      ["variables:\n", "variables:\n  DRAFT: { type: string }\n"],
      ["input: [USER_MESSAGE]", "input: [USER_MESSAGE], uiContent: DRAFT"],
      ["responseType: Ticket, output: TICKET", "output: DRAFT"],
      ["  TICKET: { type: Ticket }\n", ""],
    ),
  },
  UNUSED_TOOL: {
    source: edit(
      ["  get-account:", "  find: { description: Finds }\n  get-account:"],
      ["Look up:", "Find: { block: tool-call, tool: find }\n    Look up:"],
    ),
  },
  UNMATCHED_PATTERN: { source: withFiles("*a*") },
  UNMAPPED_PLACEHOLDER: {
    source: system("{{@parts/pro}}{{#if COMPANY}}{{ COMPANY }}{{else if !LEVEL}}{{COMPANY}}{{/if}}"),
  },
  MISSING_DISPLAY_TITLE: {
    source: edit(["Reads an account\n", "Reads an account\n    display: title\n    title: Account\n"]),
  },
  UNREACHABLE_WORKER: { source: withWorkers("research"), also: ["NOT_AVAILABLE"] },
  UNREGISTERED_MCP_SERVER: { source: withRemoteServer, options: { mcpServers: ["issues"] } },
  NOT_AVAILABLE: { source: edit(["agentic: true", "agentic: true\n  webSearch: false"]) },
  IMPLICIT_DEFAULT: { source: edit(["maxSteps: 5", "maxSteps: 10"]) },
  UNKNOWN_TAG: { source: system("{{@parts/pro}}{{COMPANY}} {{first_name}} {{}} {{ 1 + 1 }} {# if #}") },
  UNUSED_MAPPING: { source: system("{{@parts/pro}}{{#if !LEVEL}}{{else}}{{COMPANY}}{{/if}}") },
  UNANSWERED_MESSAGE: { source: edit(["block: add-message", "visible: false, block: add-message"]) },
  SUGGEST_AGENTIC: { source: edit(["agentic: true", "agentic: false"]) },
};
