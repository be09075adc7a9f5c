import { maxPendingCalls, type ToolOutcome } from "@muster/engine";
import type { ToolResult } from "@muster/proto/sessions";
import type { Issues } from "@muster/rpc";
import { type GivenFile, issuesOfFile, maxFiles, readJson } from "./values.ts";

const maxIdLength = 200;
const maxNameLength = 200;
const maxErrorLength = 32_768;
const path = "toolResults";

/** A result as the caller sent it. The session knows whether its call is pending. */
export interface GivenResult extends ToolOutcome {
  /** Absent if the caller did not name it. */
  toolName?: string;
  /** Those of `outcome`, with their places in the request. */
  files?: GivenFile[];
}

export async function readToolResults(
  issues: Issues,
  results: readonly ToolResult[],
): Promise<GivenResult[]> {
  if (results.length > maxPendingCalls) {
    issues.add(path, `must have at most ${maxPendingCalls} items`);
    return [];
  }
  const seen = new Set<string>();
  const read: GivenResult[] = [];
  for (const [index, result] of results.entries()) {
    const at = `${path}.${index}`;
    if (seen.has(result.toolCallId)) issues.add(`${at}.toolCallId`, "must be unique");
    seen.add(result.toolCallId);
    const given = await readResult(issues, at, result);
    if (given !== undefined) read.push(given);
  }
  return read;
}

/** The files that belong to the results. */
export function filesOfResults(results: readonly GivenResult[]): GivenFile[] {
  return results.flatMap(({ files = [] }) => files);
}

async function readResult(issues: Issues, at: string, result: ToolResult): Promise<GivenResult | undefined> {
  issues.checkLength(`${at}.toolCallId`, result.toolCallId, { min: 1, max: maxIdLength });
  issues.checkLength(`${at}.toolName`, result.toolName, { max: maxNameLength });
  const outcome = await readOutcome(issues, at, result.outcome);
  const files = readFiles(issues, `${at}.files`, result);
  if (outcome === undefined) return undefined;
  const attached = outcome.type === "result" && files.length > 0;
  return {
    toolCallId: result.toolCallId,
    outcome: attached ? { ...outcome, files: files.map(({ file }) => file) } : outcome,
    ...(attached && { files }),
    ...(result.toolName === "" ? {} : { toolName: result.toolName }),
  };
}

function readFiles(issues: Issues, at: string, { files, outcome }: ToolResult): GivenFile[] {
  if (files.length > 0 && outcome.case === "error") issues.add(at, "must not be combined with error");
  if (files.length > maxFiles) {
    issues.add(at, `must have at most ${maxFiles} items`);
    return [];
  }
  const given = files.map(({ id, mediaType, url, filename, size }, index) => ({
    path: `${at}.${index}`,
    file: {
      ...{ id, mediaType, url },
      ...(filename !== undefined && { filename }),
      ...(size !== undefined && { size: Number(size) }),
    },
  }));
  for (const { path, message } of given.flatMap(issuesOfFile)) issues.add(path, message);
  return given;
}

async function readOutcome(
  issues: Issues,
  at: string,
  outcome: ToolResult["outcome"],
): Promise<ToolOutcome["outcome"] | undefined> {
  switch (outcome.case) {
    case "error":
      issues.checkLength(`${at}.error`, outcome.value, { min: 1, max: maxErrorLength });
      return { type: "error", error: outcome.value };
    case "resultJson": {
      const parsed = await readJson(outcome.value);
      if (parsed.ok) return { type: "result", result: parsed.value };
      issues.add(`${at}.result`, parsed.problem);
      return undefined;
    }
    case undefined:
      // A handler that returns nothing sends no outcome.
      return { type: "result", result: null };
    default:
      return outcome satisfies never;
  }
}
