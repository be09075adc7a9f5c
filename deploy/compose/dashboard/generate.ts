// Writes grafana/muster.json from this folder. A test fails if the file is not up to date.
//   node deploy/compose/dashboard/generate.ts && npm run format
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildDashboard } from "./dashboard.ts";

writeFileSync(
  join(import.meta.dirname, "../grafana/muster.json"),
  `${JSON.stringify(buildDashboard(), null, 2)}\n`,
);
