/** Bounds of one computer's file system. */
export interface VolumeLimits {
  /** Sum of the sizes of all files; hard links count once. */
  maxBytes: number;
  /** Files, directories and links. */
  maxEntries: number;
}

export const defaultVolumeLimits: VolumeLimits = { maxBytes: 256 * 1024 * 1024, maxEntries: 20_000 };

/** In bytes of UTF-8, as on Linux. */
export const maxNameBytes = 255;

/** In bytes of UTF-8. It also bounds the depth, and the size of a manifest. */
export const maxPathBytes = 1_024;

export const homeDirectory = "/home/agent";
