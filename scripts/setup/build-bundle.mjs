// Builds the bundle of a checkout: the code of its processes, threads and command, with that of most libraries, in few files.
//   node build-bundle.mjs ROOT KEY
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { isBuiltin } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative } from "node:path";
import { rolldown } from "rolldown";
import { bundlesOf, currentKey, outside, sourceFiles } from "./bundle.mjs";
import { plainAscii } from "./plain-ascii.mjs";

/** Optional parts of the MongoDB driver, which are not installed. */
const absent =
  /^(?:@mongodb-js\/zstd|mongodb-client-encryption|kerberos|snappy|socks|aws4|gcp-metadata|@aws-sdk\/.+)$/;

/**
 * An import of a module of Node reads all of its exports, also those that load more when they are read: `node:http` loads a
 * client for WebSockets. The bundle reads only what it uses. Each import has a line of its own, so that no position changes.
 */
const lazyBuiltins = {
  name: "lazy-builtins",
  renderChunk: (code) => ({
    code: code.replace(
      /^import (?:(?:\* as )?([\w$]+))?(?:, )?(?:\{(.*)\})? from "(.+)";$/gm,
      (statement, whole, names, id) => {
        if (!isBuiltin(id)) return statement;
        // A chunk may name a variable `process`.
        const builtin = `globalThis.process.getBuiltinModule("${id}")`;
        const parts = names === undefined ? [] : [`{${names.replaceAll(" as ", ": ")}} = ${builtin}`];
        if (whole !== undefined) parts.push(`${whole} = ${builtin}`);
        return `const ${parts.join(", ")};`;
      },
    ),
    map: null,
  }),
};

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
    "source-stack": "packages/service/src/source-stack.ts",
    ...Object.fromEntries(
      modules.filter((path) => path.endsWith(".ts")).map((path) => [basename(path, ".ts"), path]),
    ),
  },
  platform: "node",
  // Its other build loads its own files in a way that no bundler sees.
  // Node's own URL is the same, without 400 KB of tables.
  resolve: { alias: { "jsonc-parser": "jsonc-parser/lib/esm/main.js", "whatwg-url": "node:url" } },
  plugins: [lazyBuiltins],
  external: (id) => absent.test(id) || isOutside(id),
  onLog: (level, log) => {
    if (level === "warn" && log.code === "UNRESOLVED_IMPORT") throw new Error(log.message);
  },
});
const { output } = await bundle.write({
  dir: draft,
  format: "esm",
  // Half of the text is comments and indentation, which each process would read and keep.
  minify: { mangle: false, compress: false, codegen: { removeWhitespace: true } },
  sourcemap: true,
  sourcemapExcludeSources: true,
  banner: ({ isEntry, name }) => (isEntry && name !== "source-stack" ? 'import "./source-stack.mjs";' : ""),
  entryFileNames: "[name].mjs",
  chunkFileNames: "[name]-[hash].mjs",
});
for (const { type, fileName, code, map } of output) {
  // A file that only passes on the exports of another one has no map.
  if (type !== "chunk" || map === null) continue;
  const plain = plainAscii(code, map);
  writeFileSync(join(draft, fileName), plain.code);
  writeFileSync(join(draft, `${fileName}.map`), JSON.stringify(plain.map));
}
for (const path of modules.filter((path) => !path.endsWith(".ts")))
  cpSync(join(root, path), join(draft, basename(path)), { recursive: true });
writeFileSync(join(draft, "licences.txt"), licences());
await compile();
activate();

function isOutside(id) {
  return outside.some((name) => id === name || id.startsWith(`${name}/`));
}

/** The files and folders that `shipped` names in the sources, with paths from the root. Each has a name of its own. */
function shipped() {
  const found = new Map();
  for (const file of sourceFiles(root).filter((path) => path.endsWith(".ts"))) {
    const text = readFileSync(join(root, file), "utf8");
    for (const [, id] of text.matchAll(/\bimport\.meta\.resolve\("([^"]+)"\)/g))
      if (!isOutside(id)) throw new Error(`${file} needs ${id}, which is not outside`);
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

/** The licences of the libraries inside, which ask to be passed on. */
function licences() {
  const modules = output.flatMap(({ moduleIds = [] }) => moduleIds);
  const folders = modules.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(id) ?? []);
  return [...new Set(folders)]
    .sort()
    .map((folder) => {
      const names = readdirSync(folder).filter((name) => /^(?:licen[cs]e|copying|notice)/i.test(name));
      const texts = names.map((name) => readFileSync(join(folder, name), "utf8"));
      return [relative(root, folder), ...texts].join("\n\n");
    })
    .join("\n\n");
}

/** A start of the server and one of the command, which prove that the bundle works, and leave compiled code for all others. */
async function compile() {
  const data = mkdtempSync(join(tmpdir(), "muster-bundle-"));
  const env = { PATH: process.env.PATH, PORT: "0", DATA_DIR: data, LOG_LEVEL: "warn" };
  const cache = { NODE_COMPILE_CACHE: join(draft, "compiled"), NODE_COMPILE_CACHE_PORTABLE: "1" };
  const program = spawn(process.execPath, [join(draft, "start.mjs"), "serve", "all"], {
    env: { ...env, ...cache },
  });
  let output = "";
  for (const stream of [program.stdout, program.stderr])
    stream.on("data", (chunk) => {
      output += chunk;
      if (output.includes("Stop with Ctrl-C")) program.kill();
    });
  const [code] = await once(program, "close");
  rmSync(data, { recursive: true, force: true });
  if (code !== 0) throw new Error(`the bundle does not start: ${output}`);
  execFileSync(process.execPath, [join(draft, "start.mjs"), "agents", "--help"], {
    env: { ...env, ...cache },
    stdio: ["ignore", "ignore", "inherit"],
  });
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
