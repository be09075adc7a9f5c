export { createMcpClient, type McpClientOptions } from "./create-mcp-client.ts";
export { McpProblem } from "./mcp-problem.ts";
export type {
  ClientCredentials,
  McpAuth,
  McpClient,
  McpFile,
  McpOutcome,
  McpReport,
  McpServer,
  McpStage,
  McpTool,
  PrivateKeyJwt,
} from "./mcp-server.ts";
export { MemoryTokenStore, type StoredToken, type TokenStore } from "./memory-token-store.ts";
export { type NamedTools, nameTools, toolName } from "./tool-names.ts";
