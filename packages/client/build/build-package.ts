import { execFile } from "node:child_process";
import { cp, glob, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { rolldown } from "rolldown";
import react from "../../react/package.json" with { type: "json" };
import client from "../package.json" with { type: "json" };

const execute = promisify(execFile);
const packages = resolve(import.meta.dirname, "../..");
const root = resolve(packages, "..");

/** The modules that programs import, by name, and the packages that they share with the program. */
const published = {
  client: { manifest: client, entries: { index: "src/index.ts", fold: "src/fold/fold.ts" }, peers: {} },
  react: {
    manifest: react,
    entries: { index: "src/index.ts" },
    peers: { ...react.peerDependencies, [client.name]: `^${client.version}` },
  },
};

/** Writes a package that is published for browsers to a folder: one module for each entry, and declarations. */
export async function buildPackage(folder: keyof typeof published, target: string) {
  const { manifest, entries, peers } = published[folder];
  const source = join(packages, folder);
  await rm(target, { recursive: true, force: true });
  const bundle = await rolldown({
    cwd: source,
    input: entries,
    platform: "neutral",
    external: Object.keys(peers).map((name) => new RegExp(`^${name}(/|$)`)),
    transform: { target: "es2022" },
  });
  await bundle.write({
    dir: target,
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "[name].js",
  });
  await bundle.close();
  await declare(folder, Object.values(entries), join(target, "types"));
  const { name, version, description, license, type } = manifest;
  const exported = Object.entries(entries).map(([entry, path]) => [
    entry === "index" ? "." : `./${entry}`,
    { types: path.replace("src/", "./types/").replace(".ts", ".d.ts"), default: `./${entry}.js` },
  ]);
  const built = {
    ...{ name, version, description, license, type, sideEffects: false },
    exports: Object.fromEntries(exported),
    peerDependencies: peers,
    // `AbortSignal.any` begins with it.
    engines: { node: ">=20.3" },
  };
  await writeFile(join(target, "package.json"), `${JSON.stringify(built, null, 2)}\n`);
  await cp(join(source, "README.md"), join(target, "README.md"));
  await cp(join(root, "LICENSE"), join(target, "LICENSE"));
  return built;
}

/** The declarations import each other by the names that they have in the package. */
async function declare(folder: string, entries: readonly string[], target: string): Promise<void> {
  const work = await mkdtemp(join(tmpdir(), `muster-${folder}-`));
  try {
    const compilerOptions = {
      ...{ noEmit: false, declaration: true, emitDeclarationOnly: true, outDir: "out", rootDir: packages },
      typeRoots: [join(root, "node_modules/@types")],
    };
    const files = entries.map((path) => join(packages, folder, path));
    const config = { extends: join(root, "tsconfig.base.json"), compilerOptions, files };
    await writeFile(join(work, "tsconfig.json"), JSON.stringify(config));
    await execute(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", work]);
    await cp(join(work, "out", folder, "src"), target, { recursive: true });
  } finally {
    await rm(work, { recursive: true });
  }
  for await (const name of glob("**/*.d.ts", { cwd: target })) {
    const text = await readFile(join(target, name), "utf8");
    await writeFile(join(target, name), text.replaceAll(/(from ")(\.\.?\/[\w/-]+)\.ts"/g, '$1$2.js"'));
  }
}
