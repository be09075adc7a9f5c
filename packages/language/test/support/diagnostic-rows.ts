import type { DiagnosticCode } from "../../src/diagnostics.ts";
import {
  edit,
  knowsModel,
  listed,
  type Row,
  references,
  source,
  system,
  withFiles,
  withRemoteServer,
  withResource,
  withWorkers,
} from "./diagnostic-sources.ts";
import { prompts, protocol, replaced, settings } from "./support-chat.ts";

/** For every code, a definition that provokes it and nothing else. */
export const rows: Readonly<Record<DiagnosticCode, Row>> = {
  INVALID_YAML: { source: edit(["[get-account]", "[get-account"]), path: "protocol" },
  DUPLICATE_KEY: {
    source: edit(["agentic: true", "agentic: true\n  agentic: false"]),
    path: "agent.agentic",
  },
  UNKNOWN_KEY: {
    source: edit(["temperature:", "temprature:"]),
    path: "agent.temprature",
    suggestions: ["temperature"],
  },
  WRONG_TYPE: { source: edit(["agentic: true", "agentic: yes"]), path: "agent.agentic" },
  MISSING_FIELD: { source: edit(["  model: demo/echo\n", ""]), path: "agent.model" },
  INVALID_SLUG: {
    source: source({ settings: { ...settings, slug: "Not a slug" } }),
    path: "settings.slug",
    suggestions: ["not-a-slug"],
  },
  INVALID_NAME: {
    source: edit(["Order: {", "_x: { id: { type: string } }\n  Order: {"]),
    path: "types._x",
    suggestions: ["X"],
  },
  INVALID_TEXT: { source: system("You help {{COMPANY}}.{{@parts/pro}}\u0000"), path: "prompts.0.content" },
  UNKNOWN_TYPE: {
    source: edit(["SUMMARY: { type: string", "SUMMARY: { type: strng"]),
    path: "variables.SUMMARY.type",
    suggestions: ["string"],
  },
  CIRCULAR_TYPE: { source: edit(["Order: {", "Order: { ticket: { type: Ticket },"]), path: "types.Ticket" },
  INVALID_UNION: {
    source: edit(["Order: {", "Both: { anyOf: [Order, Order], discriminator: id }\n  Order: {"]),
    path: "types.Both",
  },
  UNKNOWN_PROMPT: {
    source: edit(["system: system", "system: sistem"]),
    path: "agent.system",
    suggestions: ["system"],
  },
  CIRCULAR_PROMPT: { source: system("{{@system}}{{@parts/pro}}"), path: "prompts.0.content" },
  UNBALANCED_CONDITION: { source: system("{{#if COMPANY}}{{@parts/pro}}"), path: "prompts.0.content" },
  UNDECLARED_VARIABLE: {
    source: edit(["[COMPANY,", "[COMPANI,"]),
    path: "agent.input.0",
    suggestions: ["COMPANY"],
  },
  ENUM_MISMATCH: {
    source: edit(["enum: [free, pro]", "enum: [free, pro], default: gold"]),
    path: "input.PLAN.default",
  },
  UNKNOWN_TOOL: {
    source: edit(["tool: get-account", "tool: get-acount"]),
    path: "handlers.user-message.Look up.tool",
    suggestions: ["get-account"],
  },
  UNKNOWN_PARAMETER: {
    source: edit([
      "Reads an account\n",
      "Reads an account\n    approval: { ask: { required: [userIdd] } }\n",
    ]),
    path: "tools.get-account.approval.ask.required.0",
    suggestions: ["userId"],
  },
  UNKNOWN_WORKER: {
    source: withWorkers("research", "workers: [reserch]"),
    path: "agent.workers.0",
    suggestions: ["research"],
  },
  WORKER_CYCLE: {
    source: withWorkers("support", "workers: [support]"),
    path: "workers.support",
    also: ["NOT_AVAILABLE"],
  },
  UNKNOWN_MCP_SERVER: {
    source: edit(["agentic: true", "agentic: true\n  mcpServers: [tracker]"]),
    path: "agent.mcpServers.0",
  },
  UNKNOWN_SKILL: {
    source: edit(["agentic: true", "agentic: true\n  skills: [charts]"]),
    path: "agent.skills.0",
  },
  UNKNOWN_REFERENCE: {
    source: source({ references, protocol: replaced(listed, "[returns]", "[retuns]") }),
    path: "agent.references.0",
    suggestions: ["returns"],
  },
  MISSING_HANDLER: { source: edit(["triggers:\n", "triggers:\n  other:\n"]), path: "triggers.other" },
  MISSING_TRIGGER: {
    source: edit(["handlers:\n", "handlers:\n  other: { Answer: { block: next-message } }\n"]),
    path: "handlers.other",
  },
  UNKNOWN_THREAD: {
    source: edit(["responseType: Ticket", "responseType: Ticket, thread: mian"]),
    path: "handlers.user-message.Answer.thread",
    suggestions: ["main"],
  },
  UNKNOWN_BLOCK: {
    source: edit(["block: next-message", "block: next-mesage"]),
    path: "handlers.user-message.Answer.block",
    suggestions: ["next-message"],
  },
  INVALID_MODEL: { source: edit(["model: demo/echo", "model: demo"]), path: "agent.model" },
  PROVIDER_MISMATCH: {
    source: edit(["model: demo/echo", "model: demo/echo\n  anthropic: { tools: { web-search: } }"]),
    path: "agent.anthropic",
    also: ["NOT_AVAILABLE"],
  },
  RESERVED_NAME: {
    source: edit(["  get-account:", "  platform_web_search: { description: Mine }\n  get-account:"]),
    path: "tools.platform_web_search",
  },
  INVALID_RESPONSE_TYPE: {
    source: edit(["responseType: Ticket", "responseType: string"]),
    path: "handlers.user-message.Answer.responseType",
  },
  FORMAT_MISMATCH: {
    source: edit(["agent:\n", "steps: { Answer: { block: next-message } }\nagent:\n"]),
    path: "steps",
  },
  READONLY_RESOURCE: {
    source: withResource("{ type: string, readonly: true }"),
    path: "handlers.user-message.Store.resource",
    also: ["DEPRECATED_FIELD"],
  },
  DUPLICATE_PROMPT: {
    source: source({ prompts: [...prompts, { name: "user", content: "" }] }),
    path: "prompts.3.name",
  },
  LIMIT_EXCEEDED: { source: source({ protocol: `${protocol}#${"x".repeat(128 * 1024)}` }), path: "protocol" },
  DEPRECATED_FIELD: { source: withResource("{ type: string }"), path: "resources" },
  UNKNOWN_MODEL: {
    source: edit(["demo/other", "local/other"]),
    options: { knowsModel },
    path: "agent.backupModel",
  },
  UNUSED_PROMPT: {
    source: source({ prompts: [...prompts, { name: "draft", content: "{{@parts/pro}}" }] }),
    path: "prompts.3",
  },
  UNUSED_REFERENCE: { source: source({ references }), path: "references.0" },
  UNUSED_VARIABLE: {
    source: edit(["variables:\n", "variables:\n  DRAFT: { type: string }\n"]),
    path: "variables.DRAFT",
  },
  UNWRITTEN_VARIABLE: {
    source: edit(
      ["variables:\n", "variables:\n  DRAFT: { type: string }\n"],
      ["input: [USER_MESSAGE]", "input: [USER_MESSAGE], uiContent: DRAFT"],
    ),
    path: "variables.DRAFT",
  },
  UNUSED_TOOL: {
    source: edit(["  get-account:", "  find: { description: Finds }\n  get-account:"]),
    path: "tools.find",
  },
  UNMATCHED_PATTERN: {
    source: withFiles("raed"),
    path: "mcpServers.files.tools.raed",
    suggestions: ["read"],
  },
  UNMAPPED_PLACEHOLDER: {
    source: system("{{@parts/pro}}{{COMPANI}}"),
    path: "agent.input",
    suggestions: ["COMPANY"],
  },
  MISSING_DISPLAY_TITLE: {
    source: edit(["Reads an account\n", "Reads an account\n    display: title\n"]),
    path: "tools.get-account",
  },
  UNREACHABLE_WORKER: { source: withWorkers("research", "workers: []"), path: "workers.research" },
  UNREGISTERED_MCP_SERVER: {
    source: withRemoteServer,
    path: "mcpServers.issues",
    suggestions: ["issue"],
    options: { mcpServers: ["crm", "issue"] },
  },
  NOT_AVAILABLE: {
    source: edit(["agentic: true", "agentic: true\n  webSearch: true"]),
    path: "agent.webSearch",
  },
  IMPLICIT_DEFAULT: { source: edit(["  maxSteps: 5\n", ""]), path: "agent.agentic" },
  UNKNOWN_TAG: { source: system("{{@parts/pro}}{{#each COMPANY}}"), path: "prompts.0.content" },
  UNUSED_MAPPING: { source: edit(["[COMPANY,", "[COMPANY, SUMMARY,"]), path: "agent.input.1" },
  UNANSWERED_MESSAGE: {
    source: edit(
      ["    Answer: { block: next-message, responseType: Ticket, output: TICKET }\n", ""],
      ["  TICKET: { type: Ticket }\n", ""],
    ),
    path: "handlers.user-message.Add the message",
  },
  SUGGEST_AGENTIC: { source: edit(["  agentic: true\n  maxSteps: 5\n", ""]), path: "agent.tools" },
};
