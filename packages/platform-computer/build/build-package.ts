import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { join, resolve } from "node:path";
import { rolldown } from "rolldown";
import manifest from "../package.json" with { type: "json" };

const source = resolve(import.meta.dirname, "..");
const root = resolve(source, "../..");

/**
 * Writes the package that is published as `@muster/platform-computer` to a folder: one bundle with all libraries, so that it
 * installs without any other package.
 */
export async function buildPackage(target: string) {
  await rm(target, { recursive: true, force: true });
  await mkdir(join(target, "bin"), { recursive: true });
  await writeFile(join(target, "licences.txt"), await bundle(join(target, "bin")));
  const { name, version, description, license, type, engines, bin } = manifest;
  const published = { name, version, description, license, type, engines, bin };
  await writeFile(join(target, "package.json"), `${JSON.stringify(published, null, 2)}\n`);
  await cp(join(source, "bin"), join(target, "bin"), { recursive: true });
  await cp(join(source, "README.md"), join(target, "README.md"));
  await cp(join(root, "LICENSE"), join(target, "LICENSE"));
  return published;
}

/** Returns the licences of the libraries inside, which ask to be passed on. */
async function bundle(target: string): Promise<string> {
  const bundled = await rolldown({
    input: { start: join(source, "src/main.ts") },
    platform: "node",
    // Optional native parts of `ws`, which are not installed.
    external: (id) => isBuiltin(id) || id === "bufferutil" || id === "utf-8-validate",
    // Its other build loads its own files in a way that no bundler sees.
    resolve: { alias: { "jsonc-parser": "jsonc-parser/lib/esm/main.js" } },
    onLog(level, log) {
      if (level === "warn" && log.code === "UNRESOLVED_IMPORT") throw new Error(log.message);
    },
  });
  const { output } = await bundled.write({
    dir: target,
    format: "esm",
    minify: { mangle: false, compress: false, codegen: { removeWhitespace: true } },
    entryFileNames: "[name].mjs",
    chunkFileNames: "[name].mjs",
  });
  await bundled.close();
  const modules = output.flatMap((file) => (file.type === "chunk" ? file.moduleIds : []));
  const folders = modules.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(id) ?? []);
  const texts = [...new Set(folders)].sort().map(async (folder) => {
    const names = (await readdir(folder)).filter((name) => /^(?:licen[cs]e|copying|notice)/i.test(name));
    const licences = await Promise.all(names.map((name) => readFile(join(folder, name), "utf8")));
    return [folder.slice(folder.lastIndexOf("node_modules/") + 13), ...licences].join("\n\n");
  });
  return (await Promise.all(texts)).join("\n\n");
}
