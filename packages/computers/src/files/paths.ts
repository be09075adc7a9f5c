import { maxNameBytes, maxPathBytes } from "./limits.ts";
import { VolumeError } from "./volume-error.ts";

/** The names in an absolute path, without `.` and empty ones; `..` goes up, and stays at the root there. */
export function splitPath(path: string): string[] {
  if (path.includes("\0")) throw new VolumeError("EINVAL", path.replaceAll("\0", "\\0"));
  const names: string[] = [];
  for (const name of path.split("/")) {
    if (name === "" || name === ".") continue;
    if (name === "..") names.pop();
    else names.push(name);
  }
  return names;
}

export function joinNames(names: readonly string[]): string {
  return `/${names.join("/")}`;
}

/** `path` as seen from the directory `base`. */
export function absolutePath(base: string, path: string): string {
  return joinNames(splitPath(path.startsWith("/") ? path : `${base}/${path}`));
}

/** Refuses a new entry whose name or path is too long, or not text. */
export function checkNewPath(names: readonly string[]): void {
  const path = joinNames(names);
  const last = names.at(-1) ?? "";
  if (Buffer.byteLength(last) > maxNameBytes || Buffer.byteLength(path) > maxPathBytes) {
    throw new VolumeError("ENAMETOOLONG", `${path.slice(0, 80)}...`);
  }
  // A lone surrogate would become another character in the manifest, and two names could become one.
  if (!last.isWellFormed()) throw new VolumeError("EINVAL", path.toWellFormed());
}
