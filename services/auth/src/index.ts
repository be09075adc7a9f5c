export { defaultProjectId } from "./bootstrap.ts";
export { type AuthConfig, readAdminKey, readAuthConfig } from "./config.ts";
export type { AuthOverrides } from "./context.ts";
export { type AuthService, createAuthService } from "./service.ts";
