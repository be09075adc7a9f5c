import { homeDirectory } from "./limits.ts";
import { absolutePath } from "./paths.ts";

/** A path of a user or model: relative ones and `~` start at the home directory. */
export function userPath(path: string): string {
  if (path === "~" || path.startsWith("~/")) return absolutePath(homeDirectory, `.${path.slice(1)}`);
  return absolutePath(homeDirectory, path);
}
