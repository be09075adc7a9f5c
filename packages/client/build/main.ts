import { resolve } from "node:path";
import { buildPackage } from "./build-package.ts";

const target = resolve(import.meta.dirname, "../dist");
const { name, version } = await buildPackage(target);
process.stdout.write(`Built ${name} ${version} in ${target}. To publish it, run: npm publish ${target}\n`);
