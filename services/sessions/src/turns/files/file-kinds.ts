import type { FileSupport } from "@muster/models";

/** The files that models can read at all. The others are refused where they arrive. */
export type FileKind = "image" | "pdf" | "text";

const textual = /^text\/|^application\/(?:.+\+)?(?:json|xml|yaml)$/;

/** Undefined for a media type that no model is sent. Those of workforce agents' messages may be any. */
export function kindOf(mediaType: string): FileKind | undefined {
  if (mediaType.startsWith("image/")) return "image";
  if (mediaType === "application/pdf") return "pdf";
  return textual.test(mediaType) ? "text" : undefined;
}

/** Why a model cannot be sent a file of this type, as the end of a sentence; undefined if it can. */
export function obstacleTo(
  support: FileSupport,
  mediaType: string,
  isPublicUrl: boolean,
): string | undefined {
  switch (kindOf(mediaType)) {
    case "text":
      return undefined;
    case "image":
      if (support.images.length === 0) return "the model does not read images";
      if (support.images.includes(mediaType)) return undefined;
      return `the model does not read ${mediaType}; send ${support.images.join(", ")}`;
    case "pdf":
      if (support.pdf === "none") return "the model does not read PDF documents";
      if (support.pdf === "bytes" || isPublicUrl) return undefined;
      return "the model reads PDF documents only from a public https address, not uploaded ones";
    case undefined:
      return `no model reads ${mediaType}`;
  }
}

const signatures: Readonly<Record<string, (bytes: Uint8Array) => boolean>> = {
  "image/png": (bytes) => hasAt(bytes, 0, "\x89PNG\r\n\x1a\n"),
  "image/jpeg": (bytes) => hasAt(bytes, 0, "\xff\xd8\xff"),
  "image/gif": (bytes) => hasAt(bytes, 0, "GIF8"),
  "image/webp": (bytes) => hasAt(bytes, 0, "RIFF") && hasAt(bytes, 8, "WEBP"),
  // Readers accept other bytes before the header, as generators write them.
  "application/pdf": (bytes) => latin1(bytes.subarray(0, 1_024)).includes("%PDF-"),
};

/** Whether the content may be of this type. A provider would refuse the whole conversation for it. */
export function looksLike(mediaType: string, bytes: Uint8Array): boolean {
  return signatures[mediaType]?.(bytes) ?? true;
}

function hasAt(bytes: Uint8Array, start: number, text: string): boolean {
  return latin1(bytes.subarray(start, start + text.length)) === text;
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}
