// Checks which workspace may import which: packages import only packages, services never import each other, and only
// examples and benchmarks import from deploy; in `src`, only tests import development dependencies. Biome checks for import cycles, Knip
// for undeclared and unused dependencies. A file is named for its main export.
//   node scripts/check-structure.mjs [FOLDER]
import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join, normalize, relative } from "node:path";

/** Folders that the files of a folder may import from, besides their own workspace. */
const allowed = {
  proto: [],
  packages: ["proto", "packages"],
  services: ["proto", "packages"],
  deploy: ["proto", "packages", "services", "deploy"],
  examples: ["proto", "packages", "deploy", "examples"],
  bench: ["proto", "packages", "services", "deploy"],
};
/** The gateway's tests call the real services behind it, and those of the command and of the clients a whole server. */
const testedTogether = new Map([
  ["services/gateway", ["services/agents", "services/auth"]],
  ["packages/cli", ["deploy/local"]],
  ["packages/client", ["deploy/local"]],
  ["packages/react", ["deploy/local"]],
  ["packages/console", ["deploy/local"]],
]);
const isTest = (file) => /\.test\.(ts|mjs)$|(^|\/)test\//.test(file);
const imports = /(?:^|\s)(?:import|export)\s[^"';]*?from\s*"([^"]+)"|\bimport\(?\s*"([^"]+)"/g;

const entryPoints = new Set(["index", "main", "config", "context", "errors", "service"]);
const exported = /^export (?:async )?(?:const|let|function\*?|(?:abstract )?class)\s+(\w+)/gm;

const root = process.argv[2] ?? join(import.meta.dirname, "..");
const problems = [...checkImports(root), ...findMisnamed(root)];
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
else console.log("structure: every import is allowed, and every file is named for its main export");

/** @param {string} root */
function checkImports(root) {
  const manifests = readManifests(root);
  const workspaces = new Map([...manifests].map(([path, { name }]) => [name, path]));
  return sourceFiles(root).flatMap((file) => {
    const from = workspaceOf(file, workspaces);
    if (from === undefined) return [];
    return specifiersOf(join(root, file)).flatMap((specifier) => {
      if (isShipped(file, from) && isForDevelopment(specifier, manifests.get(from)))
        return [`${file}: ${specifier} is only a development dependency of ${from}`];
      const to = targetOf(file, specifier, workspaces);
      if (to === undefined || to === from || mayImport(file, from, to)) return [];
      return [`${file}: ${from} must not import ${to} (${specifier})`];
    });
  });
}

/** The `package.json` of each workspace by its path. */
function readManifests(root) {
  const files = globSync("{proto,bench,{packages,services,deploy,examples}/*}/package.json", { cwd: root });
  return new Map(files.map((file) => [dirname(file), JSON.parse(readFileSync(join(root, file), "utf8"))]));
}

/** Benchmarks and build scripts are outside `src`. */
function isShipped(file, workspace) {
  return file.startsWith(`${workspace}/src/`) && !isTest(file);
}

/** An installation for production lacks such a package. */
function isForDevelopment(specifier, { dependencies = {}, devDependencies = {}, peerDependencies = {} }) {
  const name = packageOf(specifier);
  return (
    Object.hasOwn(devDependencies, name) && !Object.hasOwn({ ...dependencies, ...peerDependencies }, name)
  );
}

function packageOf(specifier) {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}

function sourceFiles(root) {
  const folders = `{${Object.keys(allowed).join(",")}}`;
  return globSync(`${folders}/**/*.{ts,tsx,mjs}`, {
    cwd: root,
    exclude: (name) => name === "node_modules",
  }).sort();
}

function specifiersOf(path) {
  return [...readFileSync(path, "utf8").matchAll(imports)].map(([, from, dynamic]) => from ?? dynamic);
}

/** The workspace that a specifier refers to; undefined for Node's modules and third-party ones. */
function targetOf(file, specifier, workspaces) {
  if (specifier.startsWith(".")) return workspaceOf(normalize(join(dirname(file), specifier)), workspaces);
  return workspaces.get(packageOf(specifier));
}

function workspaceOf(file, workspaces) {
  return [...workspaces.values()].find((path) => !relative(path, file).startsWith(".."));
}

function mayImport(file, from, to) {
  if (isTest(file) && testedTogether.get(from)?.includes(to)) return true;
  return allowed[from.split("/")[0]].includes(to.split("/")[0]);
}

/**
 * The source files whose only exported value has another name than the file. With several values of equal rank, or with types
 * alone, a file is named for its subject.
 */
function findMisnamed(root) {
  return sourceFiles(root).flatMap((file) => {
    if (!file.includes("/src/") || isTest(file)) return [];
    const stem = basename(file).replace(/\.\w+$/, "");
    const values = [...readFileSync(join(root, file), "utf8").matchAll(exported)].map(([, name]) => name);
    if (values.length !== 1 || entryPoints.has(stem) || isNamedFor(file, stem, values[0])) return [];
    return [`${file}: its main export is ${values[0]}`];
  });
}

/** `createX`, `toX` and `xOf` count as `x`. Folders may say a part of the name: `keys/delete.ts` exports `deleteKey`. */
function isNamedFor(file, stem, name) {
  const kebab = name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, "-").toLowerCase();
  if ([kebab, kebab.replace(/^(create|to)-/, ""), kebab.replace(/-of$/, "")].includes(stem)) return true;
  const singular = (word) => word.replace(/s$/, "");
  const words = kebab.split("-").map(singular);
  const inPath = new Set(
    file
      .replace(/\.\w+$/, "")
      .split(/[/-]/)
      .map(singular),
  );
  return (
    words.every((word) => inPath.has(word)) && stem.split("-").every((word) => words.includes(singular(word)))
  );
}
