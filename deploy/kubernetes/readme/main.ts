// Writes the README of the chart: npm run generate:chart
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chart, readmeOf } from "./readme.ts";

const introduction = readFileSync(join(import.meta.dirname, "introduction.md"), "utf8");
writeFileSync(join(chart, "README.md"), readmeOf(introduction));
