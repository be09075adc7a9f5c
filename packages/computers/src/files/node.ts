/** The content of a file in its stored form. */
export interface StoredContent {
  /** Its name in the blob store. */
  blob: string;
  size: number;
}

/** `bytes` may be longer than the file (room to append): the first `size` count. */
export interface FileNode {
  type: "file";
  mode: number;
  mtimeMs: number;
  /** Names of it. */
  links: number;
  size: number;
  /** The content in memory; absent until it is loaded. */
  bytes: Uint8Array | undefined;
  /** Where the same content is stored; absent once it has changed. */
  stored: StoredContent | undefined;
}

export interface DirectoryNode {
  type: "directory";
  mode: number;
  mtimeMs: number;
  children: Map<string, VolumeNode>;
}

export interface LinkNode {
  type: "symlink";
  mode: number;
  mtimeMs: number;
  target: string;
}

export type VolumeNode = FileNode | DirectoryNode | LinkNode;

export const directoryMode = 0o755;
export const fileMode = 0o644;
export const linkMode = 0o777;

export function newDirectory(mtimeMs: number, mode = directoryMode): DirectoryNode {
  return { type: "directory", mode, mtimeMs, children: new Map() };
}
