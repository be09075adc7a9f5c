import { list, object, optional, Type, text } from "@muster/wire/schema";
import type { RelayPlan } from "../edge/body/relayed-json.ts";
import { toolNamePattern } from "../edge/errors/patterns.ts";
import { openObjectOf } from "./common.ts";
import { fileReference } from "./files.ts";

const toolResult = object(
  "ToolResult",
  "Either result (any JSON value) or error (one sentence for the model); without both, the result is null.",
  {
    toolCallId: text("The id from the `tool-request` event.", { minLength: 1, maxLength: 200 }),
    toolName: optional(text("The tool's name, to be checked.", { maxLength: 200 })),
    result: optional(Type.Unknown({ description: "Any JSON value." })),
    error: optional(text("Why the call failed, for the model.", { minLength: 1, maxLength: 32_768 })),
    files: optional(
      list("Files that belong to the result, for the model. Not with an error.", fileReference, {
        maxItems: 20,
      }),
    ),
  },
);

const dynamicTool = object("DynamicTool", "A tool that the caller executes.", {
  name: text(
    "A name that the agent does not declare; `namespace__tool` for a tool of an MCP server that it declares.",
    { pattern: toolNamePattern },
  ),
  description: text("What the tool does, for the model.", { maxLength: 10_000 }),
  inputSchema: openObjectOf("The JSON Schema of the arguments."),
  outputSchema: optional(openObjectOf("The JSON Schema of the result.")),
});

const maxToolResults = 1_000;

/** Results of the calls that an execution is waiting for. */
export const toolResults = list(
  "Results of the calls that the turn waits for. Calls without an entry are cancelled.",
  toolResult,
  { maxItems: maxToolResults },
);

/** Additional tools that the caller executes. */
export const dynamicToolSchemas = list("Additional tools that the caller executes.", dynamicTool, {
  maxItems: 512,
});

/** The fields that triggers and executions pass on without reading them. */
export function relaysOf(body: { properties: object }): RelayPlan {
  return {
    fields: Object.keys(body.properties),
    maxItems: maxToolResults,
    objects: ["input", "dynamicToolSchemas.*.inputSchema", "dynamicToolSchemas.*.outputSchema"],
    values: ["toolResults.*.result"],
  };
}
