// Copies what npm needs to install, and nothing else, so that a build installs again only after one of these has changed.
//   node manifests.mjs REPOSITORY TARGET
import { cpSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { allWorkspaces } from "./lock-file.mjs";

const [source, target] = process.argv.slice(2);
const files = ["package.json", "package-lock.json", ".npmrc"];
for (const workspace of allWorkspaces(source)) files.push(`${workspace}/package.json`);
for (const file of files) {
  mkdirSync(dirname(join(target, file)), { recursive: true });
  cpSync(join(source, file), join(target, file));
}
