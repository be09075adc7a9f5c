import type { JsonValue } from "@muster/language/json";
import { fileTools } from "../files/file-tools.ts";
import type { Folder } from "../files/folder.ts";
import type { McpServers } from "../mcp/mcp-servers.ts";
import type { Outcome } from "../state/outcome.ts";
import type { Execution } from "./execution.ts";
import { runCommand } from "./run-command.ts";

export interface Tools {
  folder: Folder;
  env: NodeJS.ProcessEnv;
  mcp: McpServers;
}

/** Executes a call with the tool that it names. */
export async function executeCall(
  { name, json }: { name: string; json: JsonValue },
  { folder, env, mcp }: Tools,
  execution: Execution,
): Promise<Outcome> {
  if (name === "shell__run_command") return await runCommand(json, { dir: folder.path, env }, execution);
  const fileTool = fileTools.get(name);
  if (fileTool !== undefined) return await fileTool(json, folder, execution);
  if (mcp.has(name)) return await mcp.call(name, json, execution);
  return { error: `This computer has no tool ${name}.` };
}
