import { threadId } from "node:worker_threads";

export function measure(text: string): { length: number; thread: number } {
  return { length: text.length, thread: threadId };
}

export function sum(bytes: Uint8Array): number {
  return bytes.reduce((total, byte) => total + byte, 0);
}

export function fail(message: string): never {
  throw new Error(message);
}
