import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { join, resolve } from "node:path";
import { rolldown } from "rolldown";
import { type Manifest, publishedManifest, readManifest } from "./published-manifest.ts";

const source = resolve(import.meta.dirname, "..");
const root = resolve(source, "../..");

/**
 * Writes the package that is published as `@muster/cli` to a folder. Node does not run TypeScript inside node_modules
 * and the other packages of the repository are not published, so their code is bundled. Libraries stay dependencies.
 */
export async function buildPackage(target: string): Promise<Manifest> {
  await rm(target, { recursive: true, force: true });
  await mkdir(join(target, "bin"), { recursive: true });
  const libraries = await bundle(join(target, "bin"));
  const manifest = await publishedManifest(await readManifest(join(source, "package.json")), libraries, root);
  await writeFile(join(target, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  for (const file of ["muster.mjs", "program-name.mjs"])
    await cp(join(source, "bin", file), join(target, "bin", file));
  await cp(join(root, "LICENSE"), join(target, "LICENSE"));
  await writeFile(join(target, "README.md"), await readFile(join(source, "build/README.md"), "utf8"));
  return manifest;
}

/** Bundles the code of the repository. Returns the names of the libraries that it imports. */
async function bundle(target: string): Promise<string[]> {
  const libraries = new Set<string>();
  const bundled = await rolldown({
    input: { start: join(source, "src/main.ts") },
    platform: "node",
    external: (id) => {
      if (isBuiltin(id)) return true;
      const [, name] = /^(@[^/]+\/[^/]+|[^./@][^/]*)(?:\/|$)/.exec(id) ?? [];
      if (name === undefined || name.startsWith("@muster/")) return false;
      libraries.add(name);
      return true;
    },
  });
  await bundled.write({
    dir: target,
    format: "esm",
    entryFileNames: "[name].mjs",
    chunkFileNames: "[name].mjs",
  });
  await bundled.close();
  return [...libraries].sort();
}
