import { boundOutput, maxFileTextTokens, type PromptFile } from "@muster/engine";
import { nameOfFile } from "@muster/storage/files";
import type { Delivered } from "./deliver.ts";
import { kindOf, looksLike } from "./file-kinds.ts";
import { type FileContent, UnreadableFile } from "./read-content.ts";

export function deliveredAs(file: PromptFile, { bytes, mediaType, filename }: FileContent): Delivered {
  const name = filename ?? file.filename ?? file.id;
  const kind = kindOf(mediaType);
  if (kind !== "image" && kind !== "pdf") return inText(name, mediaType, bytes);
  // Text instead of bytes, because packages turn bytes into text one by one, without a break.
  const data = { type: "data" as const, data: bytes.toString("base64") };
  return { type: "file", kind, part: { type: "file", mediaType, filename: name, data } };
}

function inText(name: string, mediaType: string, bytes: Buffer): Delivered {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw new UnreadableFile(`The file ${name} is not text in UTF-8.`, false, { cause: error });
  }
  return { type: "text", text: `File ${name} (${mediaType}):\n\n${boundOutput(text, maxFileTextTokens)}` };
}

export function byUrl(file: PromptFile): Delivered {
  const { mediaType, filename } = file;
  const data = { type: "url" as const, url: new URL(file.url) };
  const part = { type: "file" as const, mediaType, data, ...(filename !== undefined && { filename }) };
  return { type: "file", kind: "pdf", part };
}

/** A provider would refuse the whole conversation. */
export function assertType(file: PromptFile, { bytes, mediaType }: FileContent): void {
  if (looksLike(mediaType, bytes)) return;
  throw new UnreadableFile(`The content of the file ${nameOfFile(file)} is not ${mediaType}.`);
}
