import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/client";
import { isJsonValue, type JsonObject, type JsonValue } from "@muster/language/json";
import type { McpFile } from "./mcp-server.ts";

/**
 * A tool's result for the model: its structured content, or its text, or its parts. Files are given to `keep`, which returns
 * what the model reads about each. Of structured content and files, the model gets both.
 */
export function readResult(
  { content, structuredContent, isError }: CallToolResult,
  keep: (file: McpFile) => JsonObject,
): { result: JsonValue } | { error: string } {
  let files = 0;
  const parts = content.map((part) =>
    readPart(part, (file) => keep({ ...file, name: nameOf(file, ++files) })),
  );
  const texts = parts.filter((part) => typeof part === "string");
  if (isError === true) return { error: texts.join("\n") || "The tool failed without saying why." };
  if (structuredContent !== undefined) {
    const structured = isJsonValue(structuredContent) ? structuredContent : JSON.stringify(structuredContent);
    if (files === 0) return { result: structured };
    return { result: [structured, ...parts.filter((part) => typeof part !== "string")] };
  }
  return { result: texts.length === parts.length ? texts.join("\n") : parts };
}

type Unnamed = Omit<McpFile, "name"> & { name?: string };

function readPart(part: ContentBlock, keep: (file: Unnamed) => JsonObject): JsonValue {
  switch (part.type) {
    case "text":
      return part.text;
    case "image":
    case "audio":
      return { type: part.type, ...file(part.data, part.mimeType, undefined, keep) };
    case "resource_link": {
      const { uri, name, description, mimeType } = part;
      return defined({ type: "link", url: uri, name, description, mediaType: mimeType });
    }
    case "resource": {
      const { resource } = part;
      const { uri, mimeType } = resource;
      if ("text" in resource)
        return defined({ type: "resource", url: uri, mediaType: mimeType, text: resource.text });
      return { type: "resource", url: uri, ...file(resource.blob, mimeType, lastSegment(uri), keep) };
    }
  }
}

function file(
  data: string,
  type: string | undefined,
  name: string | undefined,
  keep: (file: Unnamed) => JsonObject,
) {
  const mediaType =
    type !== undefined && isMediaType.test(type) ? type.toLowerCase() : "application/octet-stream";
  const about = keep({
    mediaType,
    content: Buffer.from(data, "base64"),
    ...(name !== undefined && { name }),
  });
  return { mediaType, ...about };
}

const isMediaType = /^[a-z]+\/[\w.+-]{1,100}$/i;

function nameOf({ name, mediaType }: Unnamed, number: number): string {
  if (name !== undefined) return name;
  const [kind = "", subtype = ""] = mediaType.split("/");
  const extension = /^[a-z0-9]{1,10}(?=\+|$)/.exec(subtype)?.[0] ?? "bin";
  return `${kind === "application" ? "file" : kind}-${number}.${extension}`;
}

/** A safe name at the end of a URI, if it has one. */
function lastSegment(uri: string): string | undefined {
  return /[\w-][\w.-]{0,99}$/.exec(uri)?.[0];
}

function defined(fields: Readonly<Record<string, string | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  );
}
