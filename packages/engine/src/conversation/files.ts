import type { LanguageModelV4FilePart } from "@ai-sdk/provider";
import { isJsonObject, type JsonValue } from "@muster/language";
import type { FilePart, FileRef } from "./conversation.ts";

/** The file in a value of a caller; undefined if it is none. Other fields are left out. */
export function fileRefOf(value: JsonValue | undefined): FileRef | undefined {
  if (value === undefined || !isJsonObject(value)) return undefined;
  const { id, mediaType, url, filename, size } = value;
  if (typeof id !== "string" || typeof mediaType !== "string" || typeof url !== "string") return undefined;
  return {
    ...{ id, mediaType, url },
    ...(typeof filename === "string" && { filename }),
    ...(typeof size === "number" && { size }),
  };
}

/** Whether models read it as a part of its message. */
export function isForModels({ toolCallId, shownOnly }: FilePart): boolean {
  return toolCallId === undefined && shownOnly === undefined;
}

/** The fields of it that users see. */
export function shownFile({ toolCallId: _, shownOnly: __, ...file }: FilePart): FileRef & { type: "file" } {
  return file;
}

/** A file for readers of text: its name and type. */
export function fileInWords({ id, mediaType, filename }: Pick<FileRef, "id" | "mediaType" | "filename">) {
  return `[File: ${filename ?? id} (${mediaType})]`;
}

/** A file that a model reads with a prompt. */
export interface PromptFile extends FileRef {
  /** A user sent it in this turn, so the turn fails if the model cannot read it. Otherwise the model learns why. */
  isRequired: boolean;
  /** Stands around its content, which others have written, if that is text. */
  fence?: string;
}

/** The limit for the text of one file: a longer one is sent with a note instead of its middle. */
export const maxFileTextTokens = 50_000;

/** The name under which prompts refer to the files of their call, instead of a provider. */
const referrer = "muster";

/** Adds a file to the list of a call. Returns its part of the prompt, which has the position in the list. */
export function addFile(files: PromptFile[], file: PromptFile): LanguageModelV4FilePart {
  files.push(file);
  const data = { type: "reference" as const, reference: { [referrer]: String(files.length - 1) } };
  const { mediaType, filename } = file;
  return { type: "file", mediaType, data, ...(filename !== undefined && { filename }) };
}

/** The position of a part's file in the list of its call; undefined for any other file. */
export function positionOf({ data }: Pick<LanguageModelV4FilePart, "data">): number | undefined {
  const position = data.type === "reference" ? data.reference[referrer] : undefined;
  return position === undefined ? undefined : Number(position);
}
