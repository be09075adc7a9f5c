export { defaultProjectId } from "./bootstrap.ts";
export {
  type AuthConfig,
  type FederationSettings,
  readAdminKey,
  readAuthConfig,
  readFederationSettings,
} from "./config.ts";
export type { AuthOverrides } from "./context.ts";
export { parseSecretsKey, readSecretsKeys } from "./secrets/secrets-keys.ts";
export { type AuthService, createAuthService } from "./service.ts";
