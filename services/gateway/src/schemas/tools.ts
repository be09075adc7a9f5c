import type { IssueInput } from "@muster/rpc";
import { list, object, optional, type Static, Type, text } from "@muster/wire/schema";
import type { RelayPlan } from "../edge/body/relayed-json.ts";
import { jsonTextOf } from "../edge/body/request-bodies.ts";
import { toolNamePattern } from "../edge/errors/patterns.ts";
import { openObjectOf } from "./common.ts";
import { fileReference, toFileReferences } from "./files.ts";

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

type ToolResults = Static<typeof toolResults>;
type DynamicTools = Static<typeof dynamicToolSchemas>;

const maxIssues = 8;

/** Checks a rule that the schema of tool results cannot express: at most one outcome each. */
export function issuesOfResults(results: ToolResults): IssueInput[] {
  const issues: IssueInput[] = [];
  for (const [index, { result, error }] of results.entries()) {
    if (result !== undefined && error !== undefined) {
      issues.push({ path: `toolResults.${index}`, message: "must have either result or error, not both" });
    }
    if (issues.length >= maxIssues) break;
  }
  return issues;
}

/** A handler that returns nothing sends neither `result` nor `error`; its result is null. */
export function toToolResult({
  toolCallId,
  toolName = "",
  result = null,
  error,
  files,
}: ToolResults[number]) {
  const outcome =
    error === undefined
      ? { case: "resultJson" as const, value: jsonTextOf(result) }
      : { case: "error" as const, value: error };
  return { toolCallId, toolName, outcome, files: toFileReferences(files) };
}

export function toDynamicTool({ name, description, inputSchema, outputSchema }: DynamicTools[number]) {
  return {
    name,
    description,
    inputSchemaJson: jsonTextOf(inputSchema),
    ...(outputSchema === undefined ? {} : { outputSchemaJson: jsonTextOf(outputSchema) }),
  };
}
