import type { DynamicTool } from "@muster/engine";
import { type Program, parseJsonObject } from "@muster/language";
import type { DynamicTool as DynamicToolMessage } from "@muster/proto/sessions";
import { type Issues, invalidRequest } from "@muster/rpc";

const maxTools = 512;
const maxTotalBytes = 1024 * 1024;
const maxSchemaBytes = 32 * 1024;
const maxSchemaDepth = 24;
const maxDescriptionLength = 10_000;
const toolName = /^[A-Za-z0-9_-]{1,64}$/;
const path = "dynamicToolSchemas";

/** Schemas are bounded and passed on, because compiling or running one could take forever. */
export function readDynamicTools(issues: Issues, tools: readonly DynamicToolMessage[]): DynamicTool[] {
  if (tools.length > maxTools) {
    issues.add(path, `must have at most ${maxTools} items`);
    return [];
  }
  if (bytesOf(tools) > maxTotalBytes) {
    issues.add(path, `must have at most ${maxTotalBytes} bytes in all`);
    return [];
  }
  reportDuplicates(issues, tools);
  return tools.map((tool, index) => readTool(issues, `${path}.${index}`, tool));
}

function bytesOf(tools: readonly DynamicToolMessage[]): number {
  return tools.reduce((sum, tool) => {
    const { name, description, inputSchemaJson, outputSchemaJson = "" } = tool;
    return sum + Buffer.byteLength(name + description + inputSchemaJson + outputSchemaJson);
  }, 0);
}

function readTool(issues: Issues, at: string, tool: DynamicToolMessage): DynamicTool {
  if (!toolName.test(tool.name)) issues.add(`${at}.name`, "must be 1-64 letters, digits, - or _");
  if (tool.name.startsWith("platform_")) issues.add(`${at}.name`, "must not start with platform_");
  issues.checkLength(`${at}.description`, tool.description, { max: maxDescriptionLength });
  if (tool.outputSchemaJson !== undefined) {
    readSchema(issues, `${at}.outputSchema`, tool.outputSchemaJson);
  }
  const inputSchema = readSchema(issues, `${at}.inputSchema`, tool.inputSchemaJson);
  return { name: tool.name, description: tool.description, inputSchema };
}

function readSchema(issues: Issues, at: string, text: string): DynamicTool["inputSchema"] {
  if (Buffer.byteLength(text) > maxSchemaBytes) {
    issues.add(at, `must have at most ${maxSchemaBytes} bytes`);
    return {};
  }
  const parsed = parseJsonObject(text, maxSchemaDepth);
  if (parsed.ok) return parsed.value;
  issues.add(at, parsed.problem);
  return {};
}

function reportDuplicates(issues: Issues, tools: readonly DynamicToolMessage[]): void {
  const names = new Set<string>();
  tools.forEach(({ name }, index) => {
    if (names.has(name)) issues.add(`${path}.${index}.name`, "must be unique");
    names.add(name);
  });
}

/** Throws if one of the caller's tools has the same name as one of the definition's. `within` precedes the issue's path. */
export function assertNewNames(program: Program, dynamicTools: readonly DynamicTool[], within = ""): void {
  const index = dynamicTools.findIndex(({ name }) => Object.hasOwn(program.tools, name));
  if (index < 0) return;
  throw invalidRequest(
    `${within}${path}.${index}.name`,
    "must differ from the names of the agent's own tools",
  );
}
