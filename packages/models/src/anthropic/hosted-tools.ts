import type { JSONObject, LanguageModelV4ProviderTool } from "@ai-sdk/provider";
import type { HostedTools } from "../provider-definition.ts";

/** The tools by our names, which the calls in the reply have too. These versions work with all current models. */
const tools = {
  "web-search": "anthropic.web_search_20250305",
  "code-execution": "anthropic.code_execution_20250825",
} as const;

/** Skills are folders that the model reads by executing code. */
export function toolsOf({ tools: listed, skills }: HostedTools): { tools?: LanguageModelV4ProviderTool[] } {
  const names = new Set(skills.length > 0 ? [...listed, "code-execution" as const] : listed);
  if (names.size === 0) return {};
  return { tools: [...names].map((name) => ({ type: "provider", id: tools[name], name, args: {} })) };
}

export function skillsOf({ skills }: HostedTools): JSONObject {
  if (skills.length === 0) return {};
  const asked = skills.map(({ type, id, version }) => ({
    ...(type === "anthropic" ? { type, skillId: id } : { type, providerReference: { anthropic: id } }),
    ...(version !== undefined && { version }),
  }));
  return { container: { skills: asked } };
}
