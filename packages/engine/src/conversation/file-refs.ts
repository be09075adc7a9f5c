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
