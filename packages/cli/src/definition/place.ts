import { resolve } from "node:path";
import type { Io } from "../io.ts";
import type { Located } from "./findings.ts";

/** The folder that a command line names; the working directory when it names none. */
export function locate(io: Io, folder: string | undefined): Located {
  return { cwd: io.cwd, folder: resolve(io.cwd, folder ?? ".") };
}
