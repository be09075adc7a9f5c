import { type Db, type IndexDescription, MongoServerError } from "mongodb";

/** The indexes that one collection needs, declared next to the code that queries it. */
export interface CollectionIndexes {
  collection: string;
  indexes: IndexDescription[];
}

const optionsConflict = 85;
const keySpecsConflict = 86;

/**
 * Creates missing indexes and keeps existing ones: safe to call on every start and by several instances at once.
 * Rejects if an index of the same name has another shape; it is never dropped or rebuilt silently.
 */
export async function ensureIndexes(db: Db, declarations: readonly CollectionIndexes[]): Promise<void> {
  for (const { collection, indexes } of declarations) {
    if (indexes.length === 0) continue;
    try {
      await db.collection(collection).createIndexes(indexes);
    } catch (error) {
      throw isConflict(error) ? conflictError(db, collection, error) : error;
    }
  }
}

function isConflict(error: unknown): error is MongoServerError {
  return (
    error instanceof MongoServerError && (error.code === optionsConflict || error.code === keySpecsConflict)
  );
}

function conflictError(db: Db, collection: string, cause: MongoServerError): Error {
  return new Error(
    `An index of ${db.databaseName}.${collection} exists with another shape (${cause.message}). ` +
      "Drop the old index, or declare the new one under another name.",
    { cause },
  );
}
