export { type AgentsConfig, readAgentsConfig } from "./config.ts";
export type { AgentsOverrides } from "./context.ts";
export { type AgentsService, createAgentsService } from "./service.ts";
