import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Makes 1,000 pieces of one byte, passes each on, and resolves with the number of those that still exist without garbage. */
export async function survivors(pass: (piece: Buffer) => void | Promise<void>): Promise<number> {
  const pieces: WeakRef<Buffer>[] = [];
  for (let count = 0; count < 1_000; count++) {
    const piece = Buffer.from("x");
    pieces.push(new WeakRef(piece));
    await pass(piece);
  }
  // A reference that was made in this turn keeps its piece.
  await new Promise((resolve) => setImmediate(resolve));
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  return pieces.filter((piece) => piece.deref() !== undefined).length;
}
