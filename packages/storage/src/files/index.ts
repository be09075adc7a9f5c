export {
  type CheckedReference,
  checkReference,
  problemOfUrl,
  type ReferenceCheck,
} from "./check-reference.ts";
export { createDiskStorage } from "./disk-storage.ts";
export { createFileAddresses, type FileAddresses } from "./file-addresses.ts";
export { type FileUrl, pathOfFile, readFileUrl } from "./file-urls.ts";
export { createFiles, type Files } from "./files.ts";
export { createFreshLinks, type LinkSigning } from "./fresh-links.ts";
export { type KeepOptions, type KeptFiles, keepFiles, type MadeFile } from "./keep-files.ts";
export { defaultFileRules, type FileRules, fileLimits, requestBytesOf } from "./limits.ts";
export { type FileReference, nameOfFile } from "./name-of-file.ts";
export { type FileSources, FileUnavailable, openFile } from "./open-file.ts";
export { isInTime, ownFile } from "./own-file.ts";
export {
  defaultKeepDays,
  type FilesSettings,
  filesUnset,
  readFileRules,
  readFilesSettings,
  readStorageSettings,
  requireKeys,
} from "./settings.ts";
export { createSignedTexts, type SignedTextOptions, type SignedTexts } from "./signed-texts.ts";
export type { FileKey, FileRecord } from "./storage.ts";
export { type FileStorage, type StoredFile, WrongSizeError } from "./storage.ts";
export { type Reader, withReaderUrls } from "./stored-urls.ts";
