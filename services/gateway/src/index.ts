export { type AccessRow, accessOf, isOpen } from "./auth/access-table.ts";
export {
  type EdgeSettings,
  type GatewayConfig,
  gatewayDefaults,
  readEdgeSettings,
  readGatewayConfig,
} from "./config.ts";
export { createGateway, type Gateway, type GatewayDependencies } from "./gateway.ts";
