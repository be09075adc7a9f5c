import type { ThreadConfig } from "@muster/language";
import type { PlatformTool } from "./platform-tool.ts";
import { referenceList, referenceRead } from "./references.ts";
import { todoWrite } from "./todo-list.ts";

const platformTools: readonly PlatformTool[] = [referenceList, referenceRead, todoWrite];

export function platformToolsOf(config: ThreadConfig): PlatformTool[] {
  return platformTools.filter((tool) => tool.isOffered(config));
}

/** Regardless of whether a thread has it. */
export function platformToolOf(name: string): PlatformTool | undefined {
  return platformTools.find((tool) => tool.name === name);
}
