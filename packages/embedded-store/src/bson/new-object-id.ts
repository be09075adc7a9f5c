import { ObjectId } from "bson";

/** A new ObjectId's 12 bytes. */
export function newObjectId(): Buffer {
  return Buffer.from(new ObjectId().id);
}
