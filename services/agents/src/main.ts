import { createLogger, runProcess } from "@muster/service";
import { readAgentsConfig } from "./config.ts";
import { createAgentsService } from "./service.ts";

const log = createLogger({ name: "agents", level: "info" });
await runProcess(createAgentsService(readAgentsConfig(process.env), { log }), log);
