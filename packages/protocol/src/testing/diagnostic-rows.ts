import type { CompileOptions } from "../compile.ts";
import type { DiagnosticCode } from "../diagnostics.ts";
import type { DefinitionSource } from "../source.ts";
import { prompts, protocol, replaced, settings } from "../testing.ts";

/** A definition and what is said of it. */
interface Row {
  readonly source: DefinitionSource;
  readonly options?: CompileOptions;
  readonly path: string;
  readonly suggestions?: readonly string[];
  /** What cannot be left out of the way. */
  readonly also?: readonly DiagnosticCode[];
}

type Near = Omit<Row, "path" | "suggestions">;

/** The right definition of `testing.ts` with something changed. */
function source(changes: Partial<DefinitionSource> = {}): DefinitionSource {
  return { settings, protocol, prompts, references: [], ...changes };
}

/** The same with pieces of its protocol replaced. */
function edit(...edits: ReadonlyArray<readonly [piece: string, by: string]>): DefinitionSource {
  return source({ protocol: edits.reduce((text, [piece, by]) => replaced(text, piece, by), protocol) });
}

function system(content: string): DefinitionSource {
  return source({
    prompts: prompts.map((prompt) => (prompt.name === "system" ? { ...prompt, content } : prompt)),
  });
}

const references = [{ name: "returns", description: "How goods are returned", content: "By post." }];
const listed = replaced(protocol, "tools: [get-account]", "tools: [get-account]\n  references: [returns]");

function withResource(resource: string): DefinitionSource {
  const block = "    Store: { block: set-resource, resource: STATE, value: SUMMARY }\n";
  const section = `resources: { STATE: ${resource} }\nagent:\n`;
  return source({ protocol: replaced(protocol + block, "agent:\n", section) });
}

function withWorkers(slug: string, uses = "workers: [research]"): DefinitionSource {
  const section = `workers: { ${slug}: { description: Looks things up } }\nagent:\n`;
  return edit(["agent:\n", section], ["tools: [get-account]", `tools: [get-account]\n  ${uses}`]);
}

const knowsModel = (id: string) => id.startsWith("demo/");

/** For every code a definition that provokes it, and nothing else. */
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
  INVALID_SLUG: { source: source({ settings: { ...settings, slug: "Not a slug" } }), path: "settings.slug" },
  INVALID_NAME: { source: edit(["Order: {", "_x: { id: { type: string } }\n  Order: {"]), path: "types._x" },
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
  MISSING_DISPLAY_TITLE: {
    source: edit(["Reads an account\n", "Reads an account\n    display: title\n"]),
    path: "tools.get-account",
  },
  UNREACHABLE_WORKER: { source: withWorkers("research", "workers: []"), path: "workers.research" },
  NOT_AVAILABLE: {
    source: edit(["agentic: true", "agentic: true\n  webSearch: true"]),
    path: "agent.webSearch",
  },
  IMPLICIT_DEFAULT: { source: edit(["  maxSteps: 5\n", ""]), path: "agent.agentic" },
  SUGGEST_AGENTIC: { source: edit(["  agentic: true\n", ""]), path: "agent.tools" },
};

/** For every code a definition that is close to one that provokes it, and right. */
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
  UNKNOWN_PROMPT: { source: edit(["system: system", "system: parts/pro"]), also: ["UNUSED_PROMPT"] },
  CIRCULAR_PROMPT: { source: system("{{@parts/pro}}{{@parts/pro.md}}") },
  UNBALANCED_CONDITION: { source: system("{{#if COMPANY}}{{@parts/pro}}{{/if}}") },
  UNDECLARED_VARIABLE: { source: edit(["[COMPANY,", "[COMPANY: SUMMARY, PLACE: COMPANY,"]) },
  ENUM_MISMATCH: { source: edit(["enum: [free, pro]", "enum: [free, pro], default: pro"]) },
  UNKNOWN_TOOL: { source: edit(["tools: [get-account]", "tools: [get-account, get-account]"]) },
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
      ["    Add the", "    Open: { block: start-thread, thread: side, model: demo/echo }\n    Add the"],
    ),
  },
  UNKNOWN_BLOCK: { source: edit(["block: next-message", "block: 'next-message'"]) },
  INVALID_MODEL: { source: edit(["model: demo/echo", "model: aggregator/some/model:free"]) },
  RESERVED_NAME: {
    source: edit(["  get-account:", "  platform-search: { description: Mine }\n  get-account:"]),
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
      ["variables:\n", "variables:\n  DRAFT: { type: string }\n"],
      ["input: [COMPANY,", "input: [COMPANY, DRAFT,"],
    ),
  },
  MISSING_DISPLAY_TITLE: {
    source: edit(["Reads an account\n", "Reads an account\n    display: title\n    title: Account\n"]),
  },
  UNREACHABLE_WORKER: { source: withWorkers("research"), also: ["NOT_AVAILABLE"] },
  NOT_AVAILABLE: { source: edit(["agentic: true", "agentic: true\n  webSearch: false"]) },
  IMPLICIT_DEFAULT: { source: edit(["maxSteps: 5", "maxSteps: 10"]) },
  SUGGEST_AGENTIC: { source: edit(["agentic: true", "agentic: false"]) },
};
