/** BSON's type bytes. The deprecated types (undefined, symbol, DBPointer, code with scope) are refused. */
export const T = {
  double: 1,
  string: 2,
  document: 3,
  array: 4,
  binary: 5,
  objectId: 7,
  boolean: 8,
  date: 9,
  null: 10,
  regex: 11,
  code: 13,
  int32: 16,
  timestamp: 17,
  int64: 18,
  decimal128: 19,
  maxKey: 127,
  minKey: 255,
} as const;

/** MongoDB's names of the types, as `$type` and messages use them. */
export const typeNames: Record<number, string> = {
  [T.double]: "double",
  [T.string]: "string",
  [T.document]: "object",
  [T.array]: "array",
  [T.binary]: "binData",
  [T.objectId]: "objectId",
  [T.boolean]: "bool",
  [T.date]: "date",
  [T.null]: "null",
  [T.regex]: "regex",
  [T.code]: "javascript",
  [T.int32]: "int",
  [T.timestamp]: "timestamp",
  [T.int64]: "long",
  [T.decimal128]: "decimal",
  [T.minKey]: "minKey",
  [T.maxKey]: "maxKey",
};

/** The type byte for a name that `$type` accepts; undefined if the name is unknown. */
export function typeByName(name: string): number | undefined {
  for (const [type, alias] of Object.entries(typeNames)) if (alias === name) return Number(type);
  return undefined;
}
