export { FetchProblem, type FetchProblemReason } from "./fetch-problem.ts";
export { type GuardOptions, parseHost, parseOrigin, parseUrl, type Resolve } from "./guard.ts";
export { type ConnectOptions, createGuardedConnect, type GuardedConnect } from "./guarded-connect.ts";
export {
  createGuardedFetch,
  type FetchOptions,
  fetchGuarded,
  type GuardedFetch,
  prepareFetches,
} from "./guarded-fetch.ts";
export { isPublicAddress } from "./is-public-address.ts";
export { readHosts } from "./read-hosts.ts";
export { GuardedResponse } from "./response.ts";
export { createUrlCheck } from "./url-check.ts";
