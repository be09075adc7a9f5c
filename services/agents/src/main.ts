import { openMetrics, withMetrics } from "@muster/metrics";
import { runMain } from "@muster/service";
import { readAgentsConfig } from "./config.ts";
import { createAgentsService } from "./service.ts";

await runMain("agents", readAgentsConfig, async ({ config, log }) => {
  const opened = await openMetrics(config.metrics, { process: "agents", log });
  return withMetrics(opened, createAgentsService(config, { log, metrics: opened?.metrics }));
});
