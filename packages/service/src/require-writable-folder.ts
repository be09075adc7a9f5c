import { constants } from "node:fs";
import { access, mkdir } from "node:fs/promises";
import { ConfigError } from "./env.ts";

const reasons: Record<string, string> = {
  EACCES: "this user may not write there",
  EPERM: "this user may not write there",
  EROFS: "its file system is read-only",
  ENOSPC: "the disk is full",
  ENOTDIR: "a part of the path is not a folder",
  EEXIST: "it is not a folder",
  ENOENT: "it cannot be created",
};

/**
 * Makes a folder of a setting if it does not exist. Throws ConfigError that names the setting if the process cannot write there:
 * otherwise the first request that needs it would fail, long after the start.
 */
export async function requireWritableFolder(variable: string, path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true });
    await access(path, constants.W_OK | constants.X_OK);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    const reason = (Object.hasOwn(reasons, code) ? reasons[code] : code) ?? code;
    throw new ConfigError(
      variable,
      `${path} cannot be used: ${reason}; choose another folder, or change its owner`,
    );
  }
}
