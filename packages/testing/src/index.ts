export { TestClient } from "./client.ts";
export { temporaryDirectory } from "./directory.ts";
export { eventsOf, record, StreamReader, textOf } from "./events.ts";
export { newSigningKey, type SigningKey, startIssuer, type TestIssuer } from "./issuer.ts";
export { aborted, collect, failureOf } from "./outcomes.ts";
export { startProxy, type TestProxy } from "./proxy.ts";
export type { TestScope } from "./scope.ts";
export { freePort, serve } from "./servers.ts";
export { until } from "./until.ts";
