import { createLogger, runProcess } from "@muster/service";
import { readWorkforceConfig } from "./config.ts";
import { createWorkforceService } from "./service.ts";

const log = createLogger({ name: "workforce", level: "info" });
await runProcess(createWorkforceService(readWorkforceConfig(process.env), { log }), log);
