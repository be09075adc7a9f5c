import { Doc } from "./bson/value.ts";

/** The error codes this server returns, keyed by MongoDB's names. */
export const errorCodes = {
  InternalError: 1,
  BadValue: 2,
  FailedToParse: 9,
  CursorInUse: 12,
  TypeMismatch: 14,
  Overflow: 15,
  InvalidLength: 16,
  IllegalOperation: 20,
  InvalidBSON: 22,
  NamespaceNotFound: 26,
  PathNotViable: 28,
  ConflictingUpdateOperators: 40,
  CursorNotFound: 43,
  NamespaceExists: 48,
  MaxTimeMSExpired: 50,
  DollarPrefixedFieldName: 52,
  InvalidIdField: 53,
  NotSingleValueField: 54,
  EmptyFieldName: 56,
  CommandNotFound: 59,
  ImmutableField: 66,
  CannotCreateIndex: 67,
  InvalidOptions: 72,
  InvalidNamespace: 73,
  IndexOptionsConflict: 85,
  IndexKeySpecsConflict: 86,
  OperationFailed: 96,
  CannotIndexParallelArrays: 171,
  QueryPlanKilled: 175,
  CursorKilled: 237,
  NotImplemented: 238,
  IndexBuildAborted: 276,
  QueryExceededMemoryLimitNoDiskUseAllowed: 292,
  BSONObjectTooLarge: 10334,
  DuplicateKey: 11000,
  OutOfDiskSpace: 14031,
  Location15958: 15958,
  Location15974: 15974,
  Location15975: 15975,
  Location15998: 15998,
  Location31249: 31249,
  Location31250: 31250,
  Location31253: 31253,
  Location31254: 31254,
  Location40352: 40352,
  Location40353: 40353,
  Location40414: 40414,
  Location40415: 40415,
} as const;

export type ErrorName = keyof typeof errorCodes;

/** A refusal in MongoDB's terms: its name and code reach the client as `codeName` and `code`. */
export class StoreError extends Error {
  readonly codeName: ErrorName;
  /** Additional fields of the error document, for example `keyPattern` and `keyValue`. */
  readonly details: Doc;

  constructor(codeName: ErrorName, message: string, details: Doc = new Doc()) {
    super(message);
    this.name = "StoreError";
    this.codeName = codeName;
    this.details = details;
  }

  get code(): number {
    return errorCodes[this.codeName];
  }
}

/** Refuses a MongoDB feature that this server lacks, so that no result differs silently. */
export function notSupported(what: string): StoreError {
  return new StoreError("NotImplemented", `${what} is not supported by the embedded store`);
}
