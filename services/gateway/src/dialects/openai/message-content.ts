import { type TProperties, Type, text } from "@muster/wire/schema";
import type { GatewayContext } from "../../context.ts";
import { openObject } from "../../schemas/common.ts";
import { invalid } from "./refusals.ts";
import { absentOr } from "./request-schemas.ts";
import { type SentFile, sentFile } from "./sent-file.ts";

/** The member of a part that says where its file is. */
export const fileUrl = text("Its address.", { minLength: 1, maxLength: 2_000 });

/** The content of a message. `types`: those of its parts; `fields`: the members of parts besides a text. */
export function contentOf<Fields extends TProperties>(types: string, fields: Fields) {
  const members = { type: text(types), text: absentOr(text("The text.")), ...fields };
  const parts = Type.Array(openObject("A part of a message.", members));
  return absentOr(Type.Union([Type.String(), parts], { description: "A text, or parts." }));
}

/**
 * The text and the files of a message. `fileIn`: the file of a part; absent if the message can only be a text. Throws
 * INVALID_REQUEST for parts without either.
 */
export async function readContent<Part extends { text?: string | null }>(
  context: GatewayContext,
  content: string | readonly Part[],
  path: string,
  fileIn?: (part: Part) => { url: string | null | undefined; filename?: string | null | undefined },
): Promise<{ text: string; files: SentFile[] }> {
  if (typeof content === "string") return { text: content, files: [] };
  const texts: string[] = [];
  const files: SentFile[] = [];
  for (const [index, part] of content.entries()) {
    const at = `${path}.${index}`;
    const { url, filename } = fileIn?.(part) ?? {};
    if (url) files.push(await sentFile(context, { url, filename: filename ?? undefined, path: at }));
    else if (typeof part.text === "string") texts.push(part.text);
    else throw invalid(at, fileIn ? "must be a text, or a file with its URL" : "must be a text");
  }
  return { text: texts.join("\n\n"), files };
}
