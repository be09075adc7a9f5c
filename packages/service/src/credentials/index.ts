export { checksumOf } from "./checksum.ts";
export { type CredentialForm, type CredentialKind, formOf, hasChecksum, newCredential } from "./form.ts";
export { hashCredential, sameHash } from "./hash.ts";
