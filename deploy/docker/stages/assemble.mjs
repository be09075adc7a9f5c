// Puts the product together: the bundle, the program that starts it, and of the libraries outside of it the files that Node reads.
// Prints the size.
//   node assemble.mjs REPOSITORY INSTALLED TARGET        REPOSITORY: with its packages for this machine
import { chmodSync, copyFileSync, mkdirSync, statSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { bundlesOf, ensureBundle, outside } from "../../../scripts/setup/bundle.mjs";
import { withLock } from "../../../scripts/setup/lock.mjs";
import { filesBelow } from "./files.mjs";
import { neededLibraries } from "./lock-file.mjs";
import { isSuperfluous, outdatedPatterns } from "./superfluous.mjs";

const maxBytes = 250_000_000;
const [source, installed, target] = process.argv.slice(2);
const sizes = new Map();

// A setup of the same checkout may be building it.
await withLock(join(source, ".setup-lock"), () => ensureBundle(source));
const problems = copyLibraries();
const bundle = join(bundlesOf(source), "current");
for (const file of filesBelow(bundle)) copy(join(bundle, file), join("muster", file), "the bundle");
for (const file of ["muster.mjs", "program-name.mjs"])
  copy(join(source, "packages/cli/bin", file), join("muster", file), "the bundle");
copy(join(source, "LICENSE"), "LICENSE", "the bundle");
mkdirSync(join(target, "node_modules/.bin"), { recursive: true, mode: 0o755 });
symlinkSync("../../muster/muster.mjs", join(target, "node_modules/.bin/muster"));

const bytes = sizes.values().reduce((sum, size) => sum + size, 0);
if (bytes > maxBytes)
  problems.push(`the product has ${megabytes(bytes)}, and may have ${megabytes(maxBytes)}`);
report();

/** Returns the mistakes in the patterns of superfluous.mjs. */
function copyLibraries() {
  const files = neededLibraries(source, outside).flatMap((path) =>
    filesBelow(join(installed, path)).map((file) => ({ name: nameOf(path), path: join(path, file), file })),
  );
  for (const { name, path, file } of files)
    if (!isSuperfluous(name, file)) copy(join(installed, path), path, name);
  return outdatedPatterns(files).map((name) => `a pattern for ${name} matches none of its files`);
}

/** `part`: under which its size is reported. */
function copy(from, path, part) {
  const to = join(target, path);
  const { mode, size } = statSync(from);
  mkdirSync(dirname(to), { recursive: true, mode: 0o755 });
  copyFileSync(from, to);
  // Readable for the user of the image, whatever mask the files were made with.
  chmodSync(to, (mode & 0o111) === 0 ? 0o644 : 0o755);
  sizes.set(part, (sizes.get(part) ?? 0) + size);
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
