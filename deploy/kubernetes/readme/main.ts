// Writes the README of the chart, and copies the alerts and the dashboard into it: npm run generate:chart
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { chart, readmeOf } from "./readme.ts";

const introduction = readFileSync(join(import.meta.dirname, "introduction.md"), "utf8");
writeFileSync(join(chart, "README.md"), readmeOf(introduction));

const compose = join(import.meta.dirname, "../../compose");
for (const file of ["prometheus/muster.rules.yaml", "grafana/muster.json"])
  copyFileSync(join(compose, file), join(chart, "files", basename(file)));
