import type { CallToolResult } from "@modelcontextprotocol/client";
import type { Outcome } from "../state/outcome.ts";

/**
 * The result of an MCP tool for the model: its structured content, or its text, or its parts. A model cannot read pictures and
 * sound in JSON, so only their type and size are passed on.
 */
export function mcpResult({ content, structuredContent, isError }: CallToolResult): Outcome {
  const parts = content.map((part) => {
    if (part.type === "text") return part.text;
    if (part.type !== "image" && part.type !== "audio") return part;
    const { type, mimeType, data } = part;
    return { type, mimeType, note: `${Math.floor(data.length * 0.75)} bytes that cannot be shown here` };
  });
  const texts = parts.filter((part) => typeof part === "string");
  if (isError === true) return { error: texts.join("\n") || "The tool failed without saying why." };
  if (structuredContent !== undefined) return { result: JSON.stringify(structuredContent) };
  return { result: JSON.stringify(texts.length === parts.length ? texts.join("\n") : parts) };
}
