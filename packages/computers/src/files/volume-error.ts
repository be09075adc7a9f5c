const reasons = {
  EEXIST: "file already exists",
  EFBIG: "file too large",
  EINVAL: "invalid argument",
  EISDIR: "illegal operation on a directory",
  ELOOP: "too many levels of symbolic links",
  ENAMETOOLONG: "name too long",
  ENOENT: "no such file or directory",
  ENOSPC: "no space left on device",
  ENOTDIR: "not a directory",
  ENOTEMPTY: "directory not empty",
  EPERM: "operation not permitted",
} as const;

export type VolumeErrorCode = keyof typeof reasons;

/** An operation on a volume failed. The message has the form of Node's, which commands of the shell read. */
export class VolumeError extends Error {
  readonly code: VolumeErrorCode;

  constructor(code: VolumeErrorCode, path: string) {
    super(`${code}: ${reasons[code]}, '${path}'`);
    this.name = "VolumeError";
    this.code = code;
  }
}
