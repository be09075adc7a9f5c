export { defaultProjectId } from "./bootstrap.ts";
export { type AuthConfig, readAdminKey, readAuthConfig } from "./config.ts";
export { type AuthOverrides, type AuthService, createAuthService } from "./service.ts";
