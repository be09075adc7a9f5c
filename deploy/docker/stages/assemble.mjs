// Puts the product together: the sources of its workspaces, and of the installed packages what it reads. Prints the size.
//   node assemble.mjs REPOSITORY INSTALLED TARGET
import { chmodSync, copyFileSync, mkdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { filesBelow } from "./files.mjs";
import { missingImports } from "./imports.mjs";
import { neededPackages } from "./lock-file.mjs";
import { isForDevelopers, isSuperfluous, outdatedPatterns } from "./superfluous.mjs";

const maxBytes = 350_000_000;
const [source, installed, target] = process.argv.slice(2);
const sizes = new Map();

const { workspaces, libraries } = neededPackages(source);
const problems = copyLibraries();
for (const path of workspaces) copyWorkspace(path);
for (const file of ["package.json", "LICENSE"]) copy(source, file, "sources");
link("node_modules/.bin/muster", "node_modules/@muster/cli/bin/muster.mjs");
problems.push(...missingImports(target, workspaces));

const bytes = sizes.values().reduce((sum, size) => sum + size, 0);
if (bytes > maxBytes)
  problems.push(`the product has ${megabytes(bytes)}, and may have ${megabytes(maxBytes)}`);
report();

/** Returns the mistakes in the patterns of superfluous.mjs. */
function copyLibraries() {
  const files = libraries.flatMap((path) =>
    filesBelow(join(installed, path)).map((file) => ({ name: nameOf(path), path, file })),
  );
  for (const { name, path, file } of files) {
    if (!isSuperfluous(name, file)) copy(installed, join(path, file), name);
  }
  return outdatedPatterns(files).map((name) => `a pattern for ${name} matches none of its files`);
}

/** `files` of its package.json, as for npm; by default its sources. */
function copyWorkspace(path) {
  const { name, files = ["src"] } = JSON.parse(readFileSync(join(source, path, "package.json"), "utf8"));
  const wanted = files.flatMap((folder) =>
    filesBelow(join(source, path, folder)).map((file) => join(folder, file)),
  );
  for (const file of ["package.json", ...wanted.filter((file) => !isForDevelopers(file))]) {
    copy(source, join(path, file), "sources");
  }
  link(`node_modules/${name}`, path);
}

/** `part`: under which its size is reported. */
function copy(root, file, part) {
  const [from, to] = [join(root, file), join(target, file)];
  const { mode, size } = statSync(from);
  mkdirSync(dirname(to), { recursive: true, mode: 0o755 });
  copyFileSync(from, to);
  // Readable for the user of the image, whatever mask the files were made with.
  chmodSync(to, (mode & 0o111) === 0 ? 0o644 : 0o755);
  sizes.set(part, (sizes.get(part) ?? 0) + size);
}

function link(path, to) {
  mkdirSync(dirname(join(target, path)), { recursive: true, mode: 0o755 });
  symlinkSync(relative(dirname(path), to), join(target, path));
}

function nameOf(path) {
  return path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
}

function report() {
  console.log(`product: ${megabytes(bytes)} in ${target}; the largest parts:`);
  const largest = [...sizes].sort(([, a], [, b]) => b - a).slice(0, 8);
  for (const [part, size] of largest) console.log(`  ${megabytes(size).padStart(9)}  ${part}`);
  for (const problem of problems) console.error(`assemble: ${problem}`);
  if (problems.length > 0) process.exitCode = 1;
}

function megabytes(size) {
  return `${(size / 1e6).toFixed(1)} MB`;
}
