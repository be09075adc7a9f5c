export type { WorkforceOverrides } from "./context.ts";
export { createWorkforceService, type WorkforceService } from "./service.ts";
