import { createHash } from "node:crypto";
import { nextTurn, type Pause } from "@muster/large-data";
import { isJsonObject, type JsonValue } from "@muster/protocol";

/** Characters that are hashed without a break. */
const sliceLength = 64 * 1024;

/** Equal for equal values, whatever the order of keys. Large values are read in slices. */
export async function canonicalHash(value: JsonValue, pause: Pause = nextTurn): Promise<string> {
  const hash = createHash("sha256");
  let slice = "";
  for (const piece of piecesOf(value)) {
    slice += piece;
    if (slice.length < sliceLength) continue;
    hash.update(slice);
    slice = "";
    await pause();
  }
  return hash.update(slice).digest("base64url");
}

/** The value's JSON with sorted keys, in pieces. */
function* piecesOf(value: JsonValue): Generator<string, void, undefined> {
  if (Array.isArray(value)) {
    let separator = "[";
    for (const item of value) {
      yield separator;
      yield* piecesOf(item);
      separator = ",";
    }
    yield value.length === 0 ? "[]" : "]";
  } else if (isJsonObject(value)) {
    let separator = "{";
    const keys = Object.keys(value).sort();
    for (const key of keys) {
      yield `${separator}${JSON.stringify(key)}:`;
      yield* piecesOf(value[key] ?? null);
      separator = ",";
    }
    yield keys.length === 0 ? "{}" : "}";
  } else yield JSON.stringify(value);
}
