import { Type } from "@muster/wire/schema";
import type { RelayPlan } from "../edge/body/relayed-json.ts";
import { toolNamePattern } from "../edge/errors/patterns.ts";
import { openObjectOf } from "./common.ts";
import { fileReference } from "./files.ts";

const toolResult = Type.Object(
  {
    toolCallId: Type.String({
      minLength: 1,
      maxLength: 200,
      description: "The id from the `tool-request` event.",
    }),
    toolName: Type.Optional(Type.String({ maxLength: 200, description: "The tool's name, to be checked." })),
    result: Type.Optional(Type.Unknown({ description: "Any JSON value." })),
    error: Type.Optional(
      Type.String({ minLength: 1, maxLength: 32_768, description: "Why the call failed, for the model." }),
    ),
    files: Type.Optional(
      Type.Array(fileReference, {
        maxItems: 20,
        description: "Files that belong to the result, for the model. Not with an error.",
      }),
    ),
  },
  {
    title: "ToolResult",
    description:
      "Either result (any JSON value) or error (one sentence for the model); without both, the result is null.",
  },
);

const dynamicTool = Type.Object(
  {
    name: Type.String({
      pattern: toolNamePattern,
      description:
        "A name that the agent does not declare; `namespace__tool` for a tool of an MCP server that it declares.",
    }),
    description: Type.String({ maxLength: 10_000, description: "What the tool does, for the model." }),
    inputSchema: openObjectOf("The JSON Schema of the arguments."),
    outputSchema: Type.Optional(openObjectOf("The JSON Schema of the result.")),
  },
  { title: "DynamicTool", description: "A tool that the caller executes." },
);

const maxToolResults = 1_000;

/** Results of the calls that an execution is waiting for. */
export const toolResults = Type.Array(toolResult, {
  maxItems: maxToolResults,
  description: "Results of the calls that the turn waits for. Calls without an entry are cancelled.",
});

/** Additional tools that the caller executes. */
export const dynamicToolSchemas = Type.Array(dynamicTool, {
  maxItems: 512,
  description: "Additional tools that the caller executes.",
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
