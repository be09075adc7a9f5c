import { createHash } from "node:crypto";
import type { LanguageModelV4ToolResultPart } from "@ai-sdk/provider";
import type { JsonValue, Program } from "@muster/language";
import type { FileRef, ToolCallPart } from "../conversation/conversation.ts";
import { addFile, type PromptFile } from "../conversation/files.ts";
import { fencedApart, fenceIn, hasForeignOutcome } from "./fence.ts";

export const charactersPerToken = 4;

/** A tool result that models read only in part. */
export interface BoundedOutput {
  toolCallId: string;
  toolName: string;
  /** The size of the whole result. */
  characters: number;
  /** The size of the part that the model reads. */
  keptCharacters: number;
}

const note = /^\n\[… \d+ characters? omitted …\]\n$/;
const maxNoteLength = 48;

/**
 * Cuts an oversized text to its head, a note and its tail. A token is about four characters. A result that was cut this
 * way stays unchanged: users restore the state that they have seen. `fence`: stands around parts of the text.
 */
export function boundOutput(text: string, maxTokens: number | undefined, fence?: string): string {
  if (maxTokens === undefined) return text;
  const limit = maxTokens * charactersPerToken;
  if (text.length <= limit) return text;
  const half = Math.ceil(limit / 2);
  const left = text.length - limit;
  if (left <= maxNoteLength && note.test(text.slice(half, half + left))) return text;
  const [head, tail] = fencedApart(text.slice(0, half), text.slice(text.length - (limit - half)), fence);
  // A cut may fall inside a surrogate pair, and half a pair is not valid UTF-8.
  return `${head.toWellFormed()}\n[… ${counted(left, "character")} omitted …]\n${tail.toWellFormed()}`;
}

/** A tool result as models and users read it; the stored one stays whole. It is a text if `bound` has cut it. */
export function boundResult(result: JsonValue, bound: (text: string) => string): JsonValue {
  const whole = typeof result === "string" ? result : JSON.stringify(result);
  const bounded = bound(whole);
  return bounded === whole ? result : bounded;
}

export type References = Program["references"];

/** Instead of the result of a restored call. */
const notKept = "The call succeeded. Its result was not kept.";

/** The result of a finished call; null if it has none. `references`: the program's references. */
export function resultOf({ result, reference, restored }: ToolCallPart, references: References): JsonValue {
  if (restored) return notKept;
  if (reference === undefined) return result ?? null;
  return Object.hasOwn(references, reference) ? (references[reference]?.content ?? null) : null;
}

/** `1 message`, `2 messages`. */
export function counted(count: number, noun: string): string {
  return count === 1 ? `1 ${noun}` : `${count} ${noun}s`;
}

export interface OutputOptions {
  /** Longer tool results are shown as head, note and tail. Absent: unbounded. */
  maxToolOutputTokens?: number;
  /** Is called for each result that is shown so. */
  noteBounded?: (output: BoundedOutput) => void;
  /** The program's references, for calls that read one. Absent: none. */
  references?: References;
  /** Stands around text of others, so that models take it for data. Absent: no such text has been read. */
  fence?: string | undefined;
  /** Receives the files of the prompt, in their order. */
  files?: PromptFile[];
}

type Output = LanguageModelV4ToolResultPart["output"];

/** The result of a call, of any status, as its model reads it. */
export function toResult(part: ToolCallPart, options: OutputOptions): LanguageModelV4ToolResultPart {
  return {
    type: "tool-result",
    toolCallId: modelCallId(part.toolCallId),
    toolName: toolNameOf(part),
    output: fenced(part, toOutput(part, options, boundFor(part, options)), options.fence),
  };
}

/** Around the outcome of a call that others have written. */
function fenced(part: ToolCallPart, output: Output, fence: string | undefined): Output {
  if (fence === undefined || !hasForeignOutcome(part)) return output;
  const around = (text: string) => fenceIn(text, fence);
  switch (output.type) {
    case "text":
    case "error-text":
      return { ...output, value: around(output.value) };
    case "json":
      return { type: "text", value: around(JSON.stringify(output.value)) };
    case "content":
      return {
        ...output,
        value: output.value.map((each) =>
          each.type === "text" ? { ...each, text: around(each.text) } : each,
        ),
      };
    default:
      return output;
  }
}

/**
 * A model can call names that no provider accepts back. Some provider packages look a name up in a plain object, and find
 * a function under the names that every object has.
 */
export function toolNameOf({ toolName }: ToolCallPart): string {
  const name = toolName.replaceAll(/[^A-Za-z0-9_-]/g, "_").slice(0, 64);
  if (name in Object.prototype) return `${name}_`;
  return name === "" ? "unnamed" : name;
}

/** Shortens the text of a result. */
function boundFor(
  part: ToolCallPart,
  { maxToolOutputTokens, noteBounded }: OutputOptions,
): (text: string) => string {
  return (text) => {
    const bounded = boundOutput(text, maxToolOutputTokens);
    if (bounded !== text) {
      const { toolCallId, toolName } = part;
      noteBounded?.({ toolCallId, toolName, characters: text.length, keptCharacters: bounded.length });
    }
    return bounded;
  };
}

function toOutput(
  part: ToolCallPart,
  { maxToolOutputTokens, references = {}, files = [], fence }: OutputOptions,
  bound: (text: string) => string,
): Output {
  switch (part.status) {
    case "done": {
      const result = resultOf(part, references);
      const output = wholeOutput(maxToolOutputTokens === undefined ? result : boundResult(result, bound));
      if (part.files === undefined) return output;
      const isFenced = fence !== undefined && hasForeignOutcome(part);
      return withFiles(output, part.files, files, isFenced ? { fence } : {});
    }
    case "error":
      return { type: "error-text", value: bound(part.error ?? "The tool failed.") };
    case "cancelled":
      return { type: "error-text", value: "cancelled: the call was not completed." };
    case "pending":
    case "running":
      return { type: "error-text", value: "unknown: the call has no result yet." };
    default:
      return part.status satisfies never;
  }
}

/** The text always comes first: some packages send no result without one. */
function withFiles(
  output: Output,
  added: readonly FileRef[],
  files: PromptFile[],
  fenced: Pick<PromptFile, "fence">,
): Output {
  if (output.type !== "text" && output.type !== "json") return output;
  const text = output.type === "text" ? output.value : JSON.stringify(output.value);
  const parts = added.map((file) => addFile(files, { ...file, isRequired: false, ...fenced }));
  return { type: "content", value: [{ type: "text", text }, ...parts] };
}

function wholeOutput(result: JsonValue): Output {
  return typeof result === "string" ? { type: "text", value: result } : { type: "json", value: result };
}

/** OpenAI's chat completions, and many servers that imitate them, refuse longer ids. */
const maxLength = 40;

/**
 * The id by which models know a tool call. A conversation may contain longer ids, from another provider or restored ones,
 * and must remain usable with every model.
 */
export function modelCallId(toolCallId: string): string {
  if (toolCallId.length <= maxLength) return toolCallId;
  return `call_${createHash("sha256").update(toolCallId).digest("base64url").slice(0, 32)}`;
}
