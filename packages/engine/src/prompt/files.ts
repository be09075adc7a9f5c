import type { LanguageModelV4FilePart } from "@ai-sdk/provider";
import type { FileRef } from "../conversation/conversation.ts";

/** A file that a model reads with a prompt. */
export interface PromptFile extends FileRef {
  /** A user sent it in this turn, so the turn fails if the model cannot read it. Otherwise the model learns why. */
  isRequired: boolean;
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
