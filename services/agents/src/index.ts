export { type AgentsConfig, readAgentsConfig } from "./config.ts";
export { type AgentsOverrides, type AgentsService, createAgentsService } from "./service.ts";
