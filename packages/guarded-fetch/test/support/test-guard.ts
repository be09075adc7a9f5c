import type { GuardOptions } from "../../src/guard.ts";
import { isPublicAddress } from "../../src/is-public-address.ts";
import { testCertificate } from "./certificate.ts";

/** Treats 127.0.0.1 as a public address, to which every name resolves. */
export const testGuard: GuardOptions = {
  isPublic: (address) => address === "127.0.0.1" || isPublicAddress(address),
  isPortAllowed: () => true,
  resolve: async () => ["127.0.0.1"],
  ca: testCertificate.cert,
};
