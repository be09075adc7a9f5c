// Finds imports whose file or package is not there, before a process finds them at its start, or later.
import { existsSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, join } from "node:path";
import { filesBelow } from "./files.mjs";

const imports = /(?:^|\s)(?:import|export)\s(?!type\s)[^"';]*?from\s*"([^"]+)"|\bimport\(?\s*"([^"]+)"/g;
/** Files of the repository that are read beside a module. */
const neighbours = /new URL\(\s*"(\.(?![^"]*node_modules)[^"]+)",\s*import\.meta\.url/g;

/** One sentence for each import of the workspaces' sources that `root` lacks. */
export function missingImports(root, workspaces) {
  const files = workspaces.flatMap((path) => filesBelow(join(root, path)).map((file) => join(path, file)));
  return files
    .filter((file) => /\.(?:ts|mjs)$/.test(file))
    .flatMap((file) =>
      missingIn(join(root, file), root).map((name) => `${file} needs ${name}, which is missing`),
    );
}

function missingIn(file, root) {
  const text = readFileSync(file, "utf8");
  const specifiers = [...text.matchAll(imports)].map(([, from, dynamic]) => from ?? dynamic);
  const beside = [...text.matchAll(neighbours)].map(([, path]) => path);
  return [
    ...specifiers.filter((specifier) => !isThere(file, specifier, root)),
    ...beside.filter((path) => !existsSync(join(dirname(file), path))),
  ];
}

function isThere(file, specifier, root) {
  if (isBuiltin(specifier)) return true;
  if (specifier.startsWith(".")) return existsSync(join(dirname(file), specifier));
  const name = specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
  for (let folder = dirname(file); folder.startsWith(root); folder = dirname(folder)) {
    if (existsSync(join(folder, "node_modules", name, "package.json"))) return true;
  }
  return false;
}
