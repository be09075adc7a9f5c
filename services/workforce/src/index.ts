export { readWorkforceConfig, type WorkforceConfig } from "./config.ts";
export { createWorkforceService, type WorkforceOverrides, type WorkforceService } from "./service.ts";
