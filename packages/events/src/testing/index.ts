export { freePort, startNatsServer, type TestNatsServer, type TestScope } from "./nats-server.ts";
export { startProxy, type TestProxy } from "./proxy.ts";
export { until } from "./wait.ts";
