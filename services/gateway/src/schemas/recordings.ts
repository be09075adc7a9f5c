import type { Readable } from "node:stream";
import type { PublicCode } from "@muster/wire/error-codes";
import { optional, Type, text } from "@muster/wire/schema";

/** Any text: a malformed id is as unknown as any other. */
export const recordingParams = Type.Object({ recordingId: text("The id of the recording.") });

export const recordingQuery = Type.Object({
  token: optional(text("As in the URL that the thread names, for a private recording.")),
});

/** Besides those of every route. */
export const recordingErrors: readonly PublicCode[] = ["RECORDING_NOT_READY", "RECORDING_GONE"];

/** In the reply, a stream. */
const content = Type.Unsafe<Readable>({ type: "string", format: "binary", description: "The content." });

export const video = { description: "The video.", content: { "video/webm": { schema: content } } };

export const textTrack = { description: "The WebVTT file.", content: { "text/vtt": { schema: content } } };

export const page = {
  description: "The page.",
  content: { "text/html": { schema: text("HTML.") } },
};
