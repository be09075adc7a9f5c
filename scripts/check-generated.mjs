// Regenerates the code of proto/ into a temporary folder and fails if it differs from the committed code.
import { spawnSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const proto = join(root, "proto");
const folder = mkdtempSync(join(tmpdir(), "muster-generated-"));
try {
  generateInto(folder);
  report(differences(join(folder, "gen"), join(proto, "gen")));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function generateInto(output) {
  const path = [join(root, "node_modules", ".bin"), process.env.PATH].join(delimiter);
  const { status } = spawnSync("buf", ["generate", "--output", output], {
    cwd: proto,
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, PATH: path },
  });
  if (status !== 0) throw new Error("buf generate failed");
}

function differences(fresh, committed) {
  const files = new Set([...filesIn(fresh), ...filesIn(committed)]);
  return [...files].sort().filter((file) => read(join(fresh, file)) !== read(join(committed, file)));
}

function filesIn(path) {
  return globSync("**/*.ts", { cwd: path });
}

function read(path) {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error.code === "ENOENT") return undefined;
    throw error;
  }
}

function report(changed) {
  if (changed.length === 0) {
    console.log("proto/gen is up to date");
    return;
  }
  for (const file of changed) console.error(`proto/gen/${file} differs from the code that proto/ generates`);
  console.error("Run `npm run generate` and commit the result.");
  process.exitCode = 1;
}
