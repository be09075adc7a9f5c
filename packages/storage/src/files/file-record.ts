/** Where a file lies. Every part is 1-100 letters, digits, `_` or `-`. */
export interface FileKey {
  readonly projectId: string;
  /** The session or the workforce agent that the file belongs to. */
  readonly ownerId: string;
  /** `file_…`. */
  readonly id: string;
}

/** A file as announced. */
export interface FileRecord extends FileKey {
  readonly mediaType: string;
  /** Bytes, at least 1. */
  readonly size: number;
  /** 1-255 characters without path separators or control characters. */
  readonly filename: string;
}

const part = /^[A-Za-z0-9_-]{1,100}$/;

/** True if every part can be the name of a folder or a file, and nothing else. */
export function isFileKey({ projectId, ownerId, id }: FileKey): boolean {
  return [projectId, ownerId, id].every((text) => part.test(text));
}
