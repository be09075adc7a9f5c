export { checksumOf } from "./checksum.ts";
export { type CredentialKind, formOf, newCredential } from "./form.ts";
export { hashCredential, sameHash } from "./hash.ts";
