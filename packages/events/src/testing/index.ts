export { startNatsServer, type TestNatsServer } from "./nats-server.ts";
export { startProxy, type TestProxy } from "./proxy.ts";
