import { type Files, withReaderUrls } from "@muster/storage/files";
import type { FastifyRequest } from "fastify";
import { callerOf } from "../auth/identity.ts";
import { baseUrlOf } from "../edge/http/headers.ts";
import type { RelayedEvent } from "./frames.ts";
import type { TurnBatch } from "./turn-collector.ts";

/** Makes the messages of a turn ready for the reader who sent the request. */
export type ReaderUrls = (
  request: FastifyRequest,
) => <Message extends TurnBatch>(message: Message) => Message;

/** Replaces the stored URLs of files, which work nowhere, by those for the reader. Nearly all messages name no file. */
export function createReaderUrls(
  files: Pick<Files, "addresses"> | undefined,
  publicUrl: string | undefined,
): ReaderUrls {
  if (files === undefined) return () => (message) => message;
  return (request) => {
    const baseUrl = publicUrl ?? baseUrlOf(request) ?? "";
    const replaced = (json: string) => {
      const { projectId } = callerOf(request).principal;
      return withReaderUrls(json, files.addresses, { projectId, baseUrl });
    };
    return (message) => {
      const { events, result } = message;
      if (result === undefined && !events.some(namesFile)) return message;
      return {
        ...message,
        events: events.map((event) => (namesFile(event) ? { ...event, json: replaced(event.json) } : event)),
        ...(result && { result: { ...result, messageJson: replaced(result.messageJson) } }),
      };
    };
  };
}

function namesFile({ type }: RelayedEvent): boolean {
  return type === "file-available";
}
