import { writeFileSync } from "node:fs";
import { assembleFilter } from "./assemble-filter.ts";

// Writes filters.ts: npm run generate:seccomp

export const filtersText = (): string => {
  const line = (name: "x86_64" | "aarch64") =>
    `  // biome-ignore format: generated\n  ${name}: "${assembleFilter(name).toString("base64")}",\n`;
  return `// Generated from denied-groups.ts and assemble-filter.ts by \`npm run generate:seccomp\`. Do not edit.

/** The seccomp programs of the sandbox in base64, by architecture. */
export const filters = {\n${line("x86_64")}${line("aarch64")}};\n`;
};

if (import.meta.main) writeFileSync(new URL("filters.ts", import.meta.url), filtersText());
