import type { IssueInput } from "@muster/rpc";
import type { Static } from "@muster/wire/schema";
import { jsonTextOf } from "../edge/body/relayed-json.ts";
import { toFileReferences } from "./to-file-references.ts";
import type { dynamicToolSchemas, toolResults } from "./tools.ts";

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
