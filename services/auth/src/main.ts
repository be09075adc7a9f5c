import { connectNatsBus } from "@muster/events";
import { createLogger, runProcess, stopAll } from "@muster/service";
import { readAuthConfig } from "./config.ts";
import { createAuthService } from "./service.ts";

const log = createLogger({ name: "auth", level: "info" });
try {
  const config = readAuthConfig(process.env);
  const bus = await connectNatsBus({ url: config.natsUrl, name: "auth", log, onFatal: exitWithoutBus });
  const service = createAuthService(config, { bus, log });
  await runProcess(
    {
      start: async () => {
        await service.start();
        // For a person, once; the logger would hide it.
        const key = service.bootstrapKey?.reveal();
        if (key) process.stdout.write(`Bootstrap API key (shown once): ${key}\n`);
      },
      stop: () => stopAll([() => service.stop(), () => bus.close()]),
    },
    log,
  );
} catch (error) {
  process.stderr.write(`auth cannot start: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}

/** The connection is retried for ever; this is the end of it, such as withdrawn credentials. */
function exitWithoutBus(error: Error): void {
  log.fatal({ err: error }, "the bus is lost");
  process.exit(1);
}
