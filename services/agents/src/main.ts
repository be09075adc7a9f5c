import { createLogger, runProcess } from "@muster/service";
import { readAgentsConfig } from "./config.ts";
import { createAgentsService } from "./service.ts";

const log = createLogger({ name: "agents", level: "info" });
try {
  await runProcess(createAgentsService(readAgentsConfig(process.env), { log }), log);
} catch (error) {
  process.stderr.write(`agents cannot start: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
