import { createLogger, runProcess } from "@muster/service";
import { readWorkforceConfig } from "./config.ts";
import { createWorkforceService } from "./service.ts";

const log = createLogger({ name: "workforce", level: "info" });
try {
  const service = createWorkforceService(readWorkforceConfig(process.env), { log });
  await runProcess(
    {
      start: async () => {
        await service.start();
        log.info({ address: service.address }, "workforce is ready");
      },
      stop: () => service.stop(),
    },
    log,
  );
} catch (error) {
  process.stderr.write(`workforce cannot start: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
