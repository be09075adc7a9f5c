import { Readable } from "node:stream";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { GetRecordingResponse } from "@muster/proto/recordings";
import { type OpenedFile, type RecordingFile, recordingsUnset } from "@muster/storage/recordings";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { GatewayContext } from "../../context.ts";
import { HttpProblem } from "../../edge/errors/http-problem.ts";
import {
  httpDate,
  isUnchanged,
  mayBePart,
  requestedRange,
  sendUnchanged,
  type Validators,
} from "../../edge/http/conditions.ts";
import { dispositionOf } from "../../edge/http/headers.ts";
import { endProgress } from "../../edge/limits/admission.ts";
import { findRecording, type Wanted } from "./find-recording.ts";
import { willBeReady } from "./page/notices.ts";

/** Sends a file of a recording, the part of it that the request asks for, or 304. */
export async function sendRecordingFile(
  context: GatewayContext,
  request: FastifyRequest,
  reply: FastifyReply,
  wanted: Wanted,
  name: RecordingFile,
): Promise<void> {
  const recording = await findRecording(context, request, wanted);
  assertReady(recording);
  const file = await open(context, request, recording, name, wanted);
  // Attempts store their files under epochs of their own, and never change them.
  const version = { etag: `"${recording.id}-${recording.epoch}"`, modifiedAtMs: file.mtimeMs };
  const headers = headersOf(recording, name, version);
  if (!isUnchanged(request.headers, version)) return sendContent(request, reply, file, version, headers);
  await file.close();
  sendUnchanged(reply.headers(headers));
}

/** Throws RECORDING_NOT_READY while there will be a video, and NOT_FOUND if there never will be one. */
function assertReady({ status, error }: GetRecordingResponse): void {
  if (status === "ready") return;
  if (willBeReady(status)) {
    // A video is rendered within about a minute.
    throw new HttpProblem("RECORDING_NOT_READY", "The video is still being made. Try again in a moment.", {
      retryAfterMs: 5_000,
    });
  }
  throw new HttpProblem("NOT_FOUND", `This run has no video. ${error ?? ""}`.trim());
}

async function open(
  context: GatewayContext,
  request: FastifyRequest,
  { projectId, id, epoch }: GetRecordingResponse,
  name: RecordingFile,
  wanted: Wanted,
): Promise<OpenedFile> {
  if (context.recordingFiles === undefined) throw new HttpProblem("UNAVAILABLE", recordingsUnset);
  const file = await context.recordingFiles.storage.open({ projectId, recordingId: id, epoch }, name);
  if (file !== undefined) return file;
  // It may have been deleted a moment ago.
  await findRecording(context, request, wanted);
  request.log.warn({ recordingId: id, epoch, name }, "the files of a recording are missing");
  throw new HttpProblem("NOT_FOUND", "The video is no longer in the storage.");
}

const mediaTypeOf: Readonly<Record<RecordingFile, string>> = {
  "video.webm": "video/webm",
  "chapters.vtt": "text/vtt; charset=utf-8",
  "transcript.vtt": "text/vtt; charset=utf-8",
};

/** Opened by itself, a browser shows the video in a page of its own, which needs these sources and breaks in a sandbox. */
const policy = "default-src 'none'; media-src 'self'; style-src 'unsafe-inline'";

function headersOf(recording: GetRecordingResponse, name: RecordingFile, version: Validators) {
  const isPublic = recording.visibility === "public";
  return {
    "content-type": mediaTypeOf[name],
    "content-disposition": dispositionOf(filenameOf(recording, name), "inline"),
    "accept-ranges": "bytes",
    etag: version.etag,
    "last-modified": httpDate(version.modifiedAtMs),
    // Copies of a private one are checked before each use: the URL expires, and recordings can be deleted.
    "cache-control": isPublic ? "public, max-age=300" : "private, no-cache",
    "cross-origin-resource-policy": isPublic ? "cross-origin" : "same-origin",
    "content-security-policy": policy,
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    ...(!isPublic && { "x-robots-tag": "noindex" }),
  };
}

async function sendContent(
  request: FastifyRequest,
  reply: FastifyReply,
  file: OpenedFile,
  version: Validators,
  headers: Record<string, string>,
): Promise<void> {
  const { size } = file;
  const isHead = request.method === "HEAD";
  const isWhole = isHead || !mayBePart(request.headers, version);
  const range = isWhole ? "whole" : requestedRange(request.headers.range, size);
  if (range === "unsatisfiable") {
    await file.close();
    throw new HttpProblem("RANGE_NOT_SATISFIABLE", `The file has only ${size} bytes.`, {
      headers: { "content-range": `bytes */${size}` },
    });
  }
  reply.headers(headers);
  if (range === "whole") reply.header("content-length", size);
  else {
    const { start, end } = range;
    reply.code(206).header("content-range", `bytes ${start}-${end}/${size}`);
    reply.header("content-length", end - start + 1);
  }
  endProgress(request);
  if (!isHead && !reply.raw.closed) {
    reply.send(file.read(range === "whole" ? undefined : range));
    return;
  }
  await file.close();
  // Without a stream, Fastify would state another length.
  reply.send(Readable.from([]));
}

const maxNameLength = 80;

/** Under which a browser saves the file: `Lou 2030-01-31.webm`, `Lou 2030-01-31 chapters.vtt`. */
function filenameOf({ run }: GetRecordingResponse, name: RecordingFile): string {
  const agent =
    printable(run?.agentName ?? "")
      .slice(0, maxNameLength)
      .trim() || "recording";
  const day = run?.startedAt ? ` ${timestampDate(run.startedAt).toISOString().slice(0, 10)}` : "";
  return `${agent}${day}${name === "video.webm" ? ".webm" : ` ${name}`}`;
}

/** Without what could be a path or a line. */
function printable(text: string): string {
  return text.replace(/[\p{C}/\\:]/gu, "_");
}
