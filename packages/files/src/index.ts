export { createFileAddresses, type FileAddresses } from "./addresses.ts";
export { createDiskStorage } from "./disk-storage.ts";
export type { FileKey, FileRecord } from "./file-record.ts";
export { fileLimits, isMediaType, mediaTypes } from "./limits.ts";
export { type FileStorage, type StoredFile, WrongSizeError } from "./storage.ts";
