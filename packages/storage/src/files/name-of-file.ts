/** A file as a caller names it: one that was uploaded here, or one at a public https address. */
export interface FileReference {
  id: string;
  mediaType: string;
  /** A download URL of this installation, or any other address. */
  url: string;
  filename?: string;
  /** Bytes. */
  size?: number;
}

/** How a file is called in sentences for users and models. */
export function nameOfFile({ id, filename }: Pick<FileReference, "id" | "filename">): string {
  return filename ?? id;
}
