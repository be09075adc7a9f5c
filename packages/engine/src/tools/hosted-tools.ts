import type { ProviderLook, ThreadConfig } from "@muster/language";
import type { HostedTools } from "@muster/models";
import type { StoredPart, ToolCallPart } from "../conversation/conversation.ts";

type HostedName = HostedTools["tools"][number];

const namesOfTools: readonly HostedName[] = ["web-search", "code-execution"];

/** The tools and skills that the provider of the model runs for the thread. Undefined: none. */
export function hostedTools({ anthropic }: ThreadConfig, modelId: string): HostedTools | undefined {
  if (anthropic === undefined || !modelId.startsWith("anthropic/")) return undefined;
  const tools = namesOfTools.filter((name) => anthropic.tools[name] !== undefined);
  const skills = Object.entries(anthropic.skills).map(([id, { type, version }]) => ({
    ...{ type, id },
    ...(version !== undefined && { version }),
  }));
  return tools.length + skills.length > 0 ? { tools, skills } : undefined;
}

/**
 * The part of a call carried out by the provider that users see. The model reads and runs skills by executing code:
 * without a look of its own, code execution has that of the first skill. Undefined: the thread has no such tool.
 */
export function hostedLook({ anthropic }: ThreadConfig, name: string): ProviderLook | undefined {
  const tool = namesOfTools.find((known) => known === name);
  if (anthropic === undefined || tool === undefined) return undefined;
  const own = anthropic.tools[tool];
  return own ?? (tool === "code-execution" ? Object.values(anthropic.skills)[0] : undefined);
}

/** The provider has carried out the call, or was about to: nothing else may. */
export function isHostedCall(part: StoredPart): part is ToolCallPart {
  return part.type === "tool-call" && part.hosted !== undefined;
}
