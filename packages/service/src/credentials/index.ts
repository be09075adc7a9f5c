export { checksumOf } from "./checksum.ts";
export {
  type CredentialForm,
  type CredentialKind,
  formOf,
  hasChecksum,
  hashCredential,
  newCredential,
  sameHash,
} from "./form.ts";
