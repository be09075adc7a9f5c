// Makes the code of proto/, the types of the client and the built console in a temporary folder, and fails if they differ from the committed ones.
import { spawnSync } from "node:child_process";
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const proto = join(root, "proto");
const folder = mkdtempSync(join(tmpdir(), "muster-generated-"));
try {
  generateInto(folder);
  report([
    ...differences(join(folder, "gen"), join(proto, "gen")).map((file) => `proto/gen/${file}`),
    ...differences(join(folder, "client"), join(root, "packages/client/src"), ["wire-types.ts"]).map(
      (file) => `packages/client/src/${file}`,
    ),
    ...differences(join(folder, "console"), join(root, "packages/console/built")).map(
      (file) => `packages/console/built/${file}`,
    ),
  ]);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function generateInto(output) {
  const path = [join(root, "node_modules", ".bin"), process.env.PATH].join(delimiter);
  mkdirSync(join(output, "client"));
  const types = join(output, "client/wire-types.ts");
  const commands = [
    ["buf", "generate", "--output", output],
    ["node", "../scripts/client/generate.mjs", types],
    [
      "vite",
      "build",
      "../packages/console/app",
      "--config",
      "../packages/console/vite.config.ts",
      "--logLevel",
      "warn",
    ],
  ];
  for (const [command, ...words] of commands) {
    const options = {
      cwd: proto,
      stdio: ["ignore", "inherit", "inherit"],
      env: { ...process.env, PATH: path, CONSOLE_OUT: join(output, "console") },
    };
    if (spawnSync(command, words, options).status !== 0) throw new Error(`${command} failed`);
  }
}

function differences(fresh, committed, files = new Set([...filesIn(fresh), ...filesIn(committed)])) {
  return [...files].sort().filter((file) => read(join(fresh, file)) !== read(join(committed, file)));
}

function filesIn(path) {
  return globSync("**/*.*", { cwd: path });
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
    console.log("proto/gen, the types of the client and the built console are up to date");
    return;
  }
  for (const file of changed) console.error(`${file} differs from its sources`);
  console.error("Run `npm run generate` or `npm run build:console`, and commit the result.");
  process.exitCode = 1;
}
