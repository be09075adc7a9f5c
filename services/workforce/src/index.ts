export {
  type Deployment,
  defaultTimings,
  readDeployment,
  readWorkforceConfig,
  type Timings,
  type WorkforceConfig,
  type WorkforceProcessConfig,
} from "./config.ts";
export type { WorkforceOverrides } from "./context.ts";
export { createWorkforceService, type WorkforceService } from "./service.ts";
