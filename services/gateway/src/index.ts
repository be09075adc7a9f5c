export { type GatewayConfig, gatewayDefaults, readGatewayConfig } from "./config.ts";
export { createGateway, type Gateway, type GatewayDependencies } from "./gateway.ts";
