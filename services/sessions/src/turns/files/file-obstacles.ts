import type { PromptFile } from "@muster/engine";
import { type FailedProvider, ModelFailure } from "@muster/models";
import { fileLimits, nameOfFile } from "@muster/storage/files";
import type { Delivered } from "./deliver.ts";
import type { NoRoomError } from "./file-budget.ts";
import type { UnreadableFile } from "./read-content.ts";

/** The limit of the files of one model call. */
export const maxCallBytes = fileLimits.callBytes;

/** Files of earlier turns at other addresses that one model call fetches: each may take a minute. */
export const maxEarlierFetches = 5;

export function noteFor({ message }: UnreadableFile): Delivered {
  return { type: "text", text: `[${message}]` };
}

export function sentence(file: PromptFile, obstacle: string): string {
  return `The file ${nameOfFile(file)} cannot be sent: ${obstacle}.`;
}

export function tooMany(file: PromptFile): string {
  return `The file ${nameOfFile(file)} cannot be sent: one model call fetches at most ${maxEarlierFetches} files of earlier messages.`;
}

export function tooMuch(file: PromptFile): string {
  return `The file ${nameOfFile(file)} cannot be sent: the files of one model call have at most ${maxCallBytes} bytes together.`;
}

export function unreadable(reason: UnreadableFile, provider: FailedProvider): ModelFailure {
  const { isOurs, message } = reason;
  return new ModelFailure({
    message,
    errorType: isOurs ? "internal_error" : "validation_error",
    ...(!isOurs && { code: "INVALID_INPUT" as const }),
    source: isOurs ? "platform" : "client",
    retryable: false,
    transient: false,
    provider,
    cause: reason,
  });
}

export function noRoom(cause: NoRoomError, provider: FailedProvider): ModelFailure {
  return new ModelFailure({
    message: cause.message,
    errorType: "execution_error",
    code: "UNAVAILABLE",
    source: "platform",
    retryable: true,
    transient: false,
    provider,
    cause,
  });
}
