// Runs promtool's checks of the scrape configuration and the alert rules, and the rules' unit tests. `npm run test:alerts`
import { spawnSync } from "node:child_process";
import { resolve } from "node:path";

const directory = resolve(import.meta.dirname, "../prometheus");
const checks = [
  ["check", "config", "prometheus.yaml"],
  ["check", "rules", "--lint=all", "--lint-fatal", "muster.rules.yaml"],
  ["test", "rules", "muster.rules.test.yaml"],
];

for (const check of checks) {
  console.log(`promtool ${check.join(" ")}`);
  const { error, status } = spawnSync("promtool", check, { cwd: directory, stdio: "inherit" });
  if (error) {
    console.error(
      "promtool was not found on the PATH. Install Prometheus, for example with `apt-get install prometheus`, or put a folder that contains it on the PATH.",
    );
    process.exit(1);
  }
  if (status !== 0) process.exit(status ?? 1);
}
