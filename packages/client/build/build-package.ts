import { execFile } from "node:child_process";
import { cp, glob, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { rolldown } from "rolldown";
import manifest from "../package.json" with { type: "json" };

const execute = promisify(execFile);
const source = resolve(import.meta.dirname, "..");
const packages = resolve(source, "..");
const root = resolve(packages, "..");

/** The modules that programs import, by name. */
const entries = { index: "src/index.ts", fold: "src/fold/fold.ts" };

/** Writes the package that is published as `@muster/client` to a folder: one module for each entry, and declarations. */
export async function buildPackage(target: string) {
  await rm(target, { recursive: true, force: true });
  const bundle = await rolldown({
    cwd: source,
    input: entries,
    platform: "neutral",
    transform: { target: "es2022" },
  });
  await bundle.write({
    dir: target,
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "[name].js",
  });
  await bundle.close();
  await declare(join(target, "types"));
  const { name, version, description, license, type } = manifest;
  const published = {
    ...{ name, version, description, license, type, sideEffects: false },
    exports: {
      ".": { types: "./types/index.d.ts", default: "./index.js" },
      "./fold": { types: "./types/fold/fold.d.ts", default: "./fold.js" },
    },
    engines: { node: ">=20" },
  };
  await writeFile(join(target, "package.json"), `${JSON.stringify(published, null, 2)}\n`);
  await cp(join(source, "README.md"), join(target, "README.md"));
  await cp(join(root, "LICENSE"), join(target, "LICENSE"));
  return published;
}

/** The declarations import each other by the names that they have in the package. */
async function declare(target: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "muster-client-"));
  try {
    const compilerOptions = {
      ...{ noEmit: false, declaration: true, emitDeclarationOnly: true, outDir: "out", rootDir: packages },
      typeRoots: [join(root, "node_modules/@types")],
    };
    const files = Object.values(entries).map((path) => join(source, path));
    const config = { extends: join(root, "tsconfig.base.json"), compilerOptions, files };
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify(config));
    await execute(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", folder]);
    await cp(join(folder, "out/client/src"), target, { recursive: true });
  } finally {
    await rm(folder, { recursive: true });
  }
  for await (const name of glob("**/*.d.ts", { cwd: target })) {
    const text = await readFile(join(target, name), "utf8");
    await writeFile(join(target, name), text.replaceAll(/(from ")(\.\.?\/[\w/-]+)\.ts"/g, '$1$2.js"'));
  }
}
