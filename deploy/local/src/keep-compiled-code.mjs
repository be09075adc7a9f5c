import { existsSync } from "node:fs";
import { constants, enableCompileCache } from "node:module";
import { join, resolve } from "node:path";

/**
 * Makes Node keep compiled modules in `DATA_DIR/compiled-code`; otherwise each start strips the types of all modules
 * and compiles them. Only the owner can change that folder: others must not be able to replace code, as they could in
 * the folder for temporary files, which is Node's default. The first start finds no data folder and keeps nothing. If
 * the folder cannot be written, starts only take longer.
 *
 * @param {NodeJS.ProcessEnv} env
 */
export function keepCompiledCode(env) {
  const data = resolve(env.DATA_DIR || "data");
  if (!existsSync(data)) return;
  const { status, directory } = enableCompileCache(join(data, "compiled-code"));
  // Worker threads read it from the environment.
  if (status === constants.compileCacheStatus.ENABLED && directory)
    env.NODE_COMPILE_CACHE ??= join(data, "compiled-code");
}
