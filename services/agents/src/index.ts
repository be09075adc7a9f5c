export { type AgentsConfig, readAgentsConfig } from "./config.ts";
export type { AgentsOverrides } from "./context.ts";
export type { DefinitionChecker } from "./definition/definition-checker.ts";
export { type AgentsService, createAgentsService } from "./service.ts";
