import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { GetRecordingResponse } from "@muster/proto/recordings";
import type { RecordingFile } from "@muster/storage/recordings";

const maxNameLength = 80;

/** Under which a browser saves the file: `Lou 2030-01-31.webm`, `Lou 2030-01-31 chapters.vtt`. */
export function filenameOf({ run }: GetRecordingResponse, name: RecordingFile): string {
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
