import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { secureJsonParse } from "@ai-sdk/provider-utils";
import { createParser } from "eventsource-parser";

/** Reads the events of one stream, and adds their parts to a list. */
export interface PartReader {
  /** `event`: JSON. Throws if it is an error, or not of the expected form. */
  read(event: unknown): void;
  /** After the last event. */
  end(): void;
}

export type CreateReader = (parts: LanguageModelV4StreamPart[]) => PartReader;

/**
 * The parts of an event stream, in one turn of the loop for everything that arrived together. A failure is the last
 * part. `failureOf`: the error of a stream that consists of this body, which could not be read; undefined if it is none.
 */
export function readParts(
  body: ReadableStream<Uint8Array>,
  createReader: CreateReader,
  failureOf: (body: string | ReadableStream) => Promise<unknown>,
): ReadableStream<LanguageModelV4StreamPart> {
  const bytes = body.getReader();
  const decoder = new TextDecoder();
  const parts: LanguageModelV4StreamPart[] = [];
  const reader = createReader(parts);
  let unread: { data: string; error: unknown } | undefined;
  const parser = createParser({
    onEvent({ data }) {
      if (unread !== undefined || data === "[DONE]") return;
      try {
        reader.read(secureJsonParse(data));
      } catch (error) {
        unread = { data, error };
      }
    },
  });

  const fail = async (error: unknown, failed: string | ReadableStream): Promise<true> => {
    parts.push({ type: "error", error: (await failureOf(failed)) ?? error });
    return true;
  };
  /** Adds the parts of the next chunk. True at the end. */
  const readOn = async (): Promise<boolean> => {
    const read = await bytes.read().catch((reason: unknown) => ({ reason }));
    if ("reason" in read) return fail(read.reason, failing(read.reason));
    if (read.done) {
      try {
        reader.end();
      } catch (error) {
        parts.push({ type: "error", error });
      }
      return true;
    }
    parser.feed(decoder.decode(read.value, { stream: true }));
    if (unread === undefined) return false;
    bytes.cancel(unread.error).catch(() => {});
    return fail(unread.error, `data: ${unread.data.replaceAll("\n", "\ndata: ")}\n\n`);
  };

  return new ReadableStream(
    {
      async pull(controller) {
        let ended = false;
        while (parts.length === 0 && !ended) ended = await readOn();
        for (const part of parts.splice(0)) controller.enqueue(part);
        if (ended) controller.close();
      },
      cancel: (reason) => bytes.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

function failing(reason: unknown): ReadableStream {
  return new ReadableStream({ start: (controller) => controller.error(reason) });
}
