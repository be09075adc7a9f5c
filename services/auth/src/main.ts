import { connectNatsBus } from "@muster/events";
import { openMetrics, withMetrics } from "@muster/metrics";
import { runMain, stopAll } from "@muster/service";
import { readAuthConfig } from "./config.ts";
import { createAuthService } from "./service.ts";

await runMain("auth", readAuthConfig, async ({ config, log, onFatal }) => {
  const opened = await openMetrics(config.metrics, { process: "auth", log });
  const metrics = opened?.metrics;
  const bus = await connectNatsBus({ url: config.natsUrl, name: "auth", log, metrics, onFatal });
  const service = createAuthService(config, { bus, log, metrics });
  return withMetrics(opened, {
    start: async () => {
      await service.start();
      // Shown once, to a human; the logger would redact it.
      const key = service.bootstrapKey?.reveal();
      if (key) process.stdout.write(`Bootstrap API key (shown once): ${key}\n`);
    },
    stop: () => stopAll([() => service.stop(), () => bus.close()]),
  });
});
