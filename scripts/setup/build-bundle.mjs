// Builds the bundle of a checkout: the code of its processes, threads and command, with that of most libraries, in few files.
//   node build-bundle.mjs ROOT KEY
import { cpSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { rolldown } from "rolldown";
import { bundlesOf, currentKey, sourceFiles } from "./bundle.mjs";

/** Native code, libraries that read files beside their modules or start threads on them, and optional parts of the MongoDB driver. */
export const external = [
  /^(?:@napi-rs|@libav\.js)\//,
  /^(?:just-bash|mediabunny|tinypool|@fastify\/swagger-ui)$/,
  /^(?:@mongodb-js\/zstd|mongodb-client-encryption|kerberos|snappy|socks|aws4|gcp-metadata|@aws-sdk\/.+)$/,
];

const [root, key] = process.argv.slice(2);
const folder = bundlesOf(root);
const draft = join(folder, `${key}.draft`);

// An interrupted build may have left one.
rmSync(draft, { recursive: true, force: true });
const modules = shipped();
const bundle = await rolldown({
  cwd: root,
  input: {
    start: "deploy/serve/src/start.ts",
    "stack-traces": "packages/service/src/stack-traces.ts",
    ...Object.fromEntries(
      modules.filter((path) => path.endsWith(".ts")).map((path) => [basename(path, ".ts"), path]),
    ),
  },
  platform: "node",
  // Its other build loads its own files in a way that no bundler sees.
  resolve: { alias: { "jsonc-parser": "jsonc-parser/lib/esm/main.js" } },
  external,
  onLog: (level, log) => {
    if (level === "warn" && log.code === "UNRESOLVED_IMPORT") throw new Error(log.message);
  },
});
await bundle.write({
  dir: draft,
  format: "esm",
  sourcemap: true,
  sourcemapExcludeSources: true,
  banner: ({ isEntry, name }) => (isEntry && name !== "stack-traces" ? 'import "./stack-traces.mjs";' : ""),
  entryFileNames: "[name].mjs",
  chunkFileNames: "[name]-[hash].mjs",
});
for (const path of modules.filter((path) => !path.endsWith(".ts")))
  cpSync(join(root, path), join(draft, basename(path)), { recursive: true });
activate();

/** The files and folders that `shipped` names in the sources, with paths from the root. Each has a name of its own. */
function shipped() {
  const found = new Map();
  for (const file of sourceFiles(root).filter((path) => path.endsWith(".ts"))) {
    const text = readFileSync(join(root, file), "utf8");
    for (const [, path] of text.matchAll(/\bshipped\("([^"]+)", import\.meta\.url\)/g)) {
      const target = join(dirname(file), path);
      const other = found.get(basename(target));
      if (other !== undefined && other !== target)
        throw new Error(`${other} and ${target} have the same name`);
      found.set(basename(target), target);
    }
  }
  return [...found.values()];
}

/** The bundle appears whole. The one before stays for a server that runs it. */
function activate() {
  const kept = [key, currentKey(root), "current"];
  const [target, link] = [join(folder, key), join(folder, "current.draft")];
  rmSync(target, { recursive: true, force: true });
  renameSync(draft, target);
  rmSync(link, { force: true });
  symlinkSync(key, link, "junction");
  renameSync(link, join(folder, "current"));
  for (const name of readdirSync(folder))
    if (!kept.includes(name)) rmSync(join(folder, name), { recursive: true, force: true });
}
