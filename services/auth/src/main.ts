import { connectNatsBus } from "@muster/events";
import { createLogger, runProcess } from "@muster/service";
import { readAuthConfig } from "./config.ts";
import { createAuthService } from "./service.ts";

const config = readAuthConfig(process.env);
const log = createLogger({ name: "auth", level: "info" });
const bus = await connectNatsBus({
  url: config.natsUrl,
  name: "auth",
  log,
  onFatal: (error) => {
    log.fatal({ err: error }, "the bus is lost");
    process.exit(1);
  },
});
const service = createAuthService(config, { bus, log });
await runProcess(
  {
    start: async () => {
      await service.start();
      if (service.bootstrapKey) {
        process.stdout.write(`Bootstrap API key (shown once): ${service.bootstrapKey.reveal()}\n`);
      }
    },
    stop: async () => {
      await service.stop();
      await bus.close();
    },
  },
  log,
);
