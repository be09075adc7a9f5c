import { existsSync } from "node:fs";
import { registerHooks } from "node:module";

/*
 * Importing this module makes the imports after it resolve quickly. For each import, Node asks the file system whether
 * the file exists, whether it is a link, and what is in the package.json above it: a fifth of the time in which a
 * process of Muster loads its modules. The answers are known
 * - for a relative import whose extension determines the format,
 * - for other relative imports of JavaScript, once a module of the same folder has been imported,
 * - for a package, once another module of the importing package has imported it.
 * A file that is missing still fails the import, when it is read.
 *
 * JavaScript, because it is loaded before Node's compile cache can be set up for TypeScript.
 */

const formats = { ".ts": "module-typescript", ".mjs": "module" };
/** Folders whose `.js` files are modules. */
const moduleFolders = new Set();
/** The folders above which node_modules is searched, by folder. */
const packageFolders = new Map();
/** The resolved packages, by importing folder and name. */
const resolved = new Map();

registerHooks({
  resolve(specifier, context, nextResolve) {
    const { parentURL: from, conditions, importAttributes } = context;
    const isPlain = from?.startsWith("file:") && Object.keys(importAttributes ?? {}).length === 0;
    if (!isPlain || conditions.includes("require")) return nextResolve(specifier, context);
    if (specifier.startsWith(".")) return resolveFile(specifier, context, nextResolve);
    const key = `${packageFolder(folderOf(from))} ${specifier}`;
    const known = resolved.get(key);
    if (known !== undefined) return known;
    const found = nextResolve(specifier, context);
    resolved.set(key, { ...found, shortCircuit: true });
    return found;
  },
});

function resolveFile(specifier, context, nextResolve) {
  const extension = specifier.slice(specifier.lastIndexOf("."));
  const { href: url } = new URL(specifier, context.parentURL);
  const folder = folderOf(url);
  const format =
    formats[extension] ?? (extension === ".js" && moduleFolders.has(folder) ? "module" : undefined);
  if (format !== undefined) return { url, format, shortCircuit: true };
  const found = nextResolve(specifier, context);
  if (extension === ".js" && found.url === url && found.format === "module") moduleFolders.add(folder);
  return found;
}

/** The next folder upwards that has a package.json: from everything below it, packages resolve alike. */
function packageFolder(folder) {
  const known = packageFolders.get(folder);
  if (known !== undefined) return known;
  const above = folderOf(folder.slice(0, -1));
  const found =
    above === "file:///" || existsSync(new URL("package.json", folder)) ? folder : packageFolder(above);
  packageFolders.set(folder, found);
  return found;
}

function folderOf(url) {
  return url.slice(0, url.lastIndexOf("/") + 1);
}
