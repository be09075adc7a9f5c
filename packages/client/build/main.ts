import { resolve } from "node:path";
import { buildPackage } from "./build-package.ts";

for (const folder of ["client", "react"] as const) {
  const target = resolve(import.meta.dirname, "../..", folder, "dist");
  const { name, version } = await buildPackage(folder, target);
  process.stdout.write(`Built ${name} ${version} in ${target}. To publish it, run: npm publish ${target}\n`);
}
