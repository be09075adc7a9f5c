export { startNatsServer, type TestNatsServer } from "./nats-server.ts";
