export { testCertificate } from "./certificate.ts";
export { serveTls } from "./servers.ts";
export { testGuard } from "./test-guard.ts";
