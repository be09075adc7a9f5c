import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { SetupError, say, secondsSince } from "./report.mjs";
import { nodeOf } from "./runtime.mjs";

/** Where the processes and the command come from. Any change of these files, or of a library, makes another bundle. */
const sources = ["packages", "services", "deploy/local", "deploy/serve", "proto/gen", "scripts/setup"];
const noSource = /^(?:node_modules|app|dist|test|testing|fixtures)$|\.test\.m?ts$|\.md$/;

/** Libraries that stay outside: native code, those that read files beside their modules or start threads on them, and fonts. */
export const outside = [
  ...[
    "@napi-rs/canvas",
    "@libav.js/variant-webm-vp9",
    "just-bash",
    "mediabunny",
    "tinypool",
    "@scalar/fastify-api-reference",
  ],
  ...[
    "@expo-google-fonts/inter",
    "@expo-google-fonts/jetbrains-mono",
    "@expo-google-fonts/noto-sans-symbols-2",
  ],
  ...["@fontsource-variable/noto-sans-kr", "@fontsource-variable/noto-sans-sc", "twemoji-colr-font"],
];

/** The folder with the bundles of a checkout, each named by the content of its sources, and `current`, a link to one. */
export function bundlesOf(root) {
  return join(root, "node_modules/.cache/muster");
}

/** Builds the bundle of the present sources, unless it is there. */
export function ensureBundle(root) {
  const startMs = Date.now();
  const key = keyOf(root);
  if (currentKey(root) === key) return;
  say("building the bundle ...");
  // The builder needs a newer Node than this script.
  const { status, stderr } = spawnSync(
    nodeOf(root),
    [join(root, "scripts/setup/build-bundle.mjs"), root, key],
    {
      encoding: "utf8",
    },
  );
  if (status !== 0) throw new SetupError(`the bundle cannot be built.\n${stderr}`);
  say(`the bundle was built in ${secondsSince(startMs)}`);
}

/** The files of the checkout from which bundles are made. */
export function sourceFiles(root) {
  const below = (folder) =>
    readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
      if (noSource.test(entry.name)) return [];
      const path = `${folder}/${entry.name}`;
      return entry.isDirectory() ? below(path) : [path];
    });
  return ["package-lock.json", ...sources.flatMap(below)].sort();
}

function keyOf(root) {
  const hash = createHash("sha256");
  for (const path of sourceFiles(root))
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(root, path)))
      .update("\0");
  return hash.digest("hex").slice(0, 16);
}

/** The bundle that starts. */
export function currentKey(root) {
  try {
    return readlinkSync(join(bundlesOf(root), "current"));
  } catch {
    return undefined;
  }
}
