export { defaultProjectId } from "./bootstrap.ts";
export {
  type AuthConfig,
  type FederationSettings,
  readAdminKey,
  readAuthConfig,
  readFederationSettings,
} from "./config.ts";
export type { AuthOverrides } from "./context.ts";
export { type AuthService, createAuthService } from "./service.ts";
