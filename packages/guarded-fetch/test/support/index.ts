export { serveTls } from "./servers.ts";
export { testGuard } from "./test-guard.ts";
