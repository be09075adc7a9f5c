import type { Scene } from "./scene.ts";

/** The parts that differ between two recordings. */
export interface Particulars {
  readonly key: string;
  readonly url: string;
  readonly folder: string;
}

/**
 * The scenes with this run's ports, keys and ids replaced by fixed ones, so that two recordings look the same. Each
 * replacement has the length of the original: nothing on the screen moves, and every piece keeps its time.
 */
export function alike(scenes: readonly Scene[], { key, url, folder }: Particulars): Scene[] {
  const fixed = new Map([
    [key, "svc_sk_3f9k27qv4t8n5w0xz1m6r2hc7ybdgjpa_4kd9tz"],
    [url, "http://127.0.0.1:8080"],
    [folder, "/home/alice/muster"],
  ]);
  return scenes.map(({ title, output }) => {
    const original = output.map((piece) => piece.text).join("");
    for (const [session] of original.matchAll(/\bses_[0-9a-z]{26,}/g)) {
      fixed.set(session, "ses_01jd7m3k9v2q8x4r6t0w5y1nbezfch");
    }
    const text = [...fixed].reduce((shown, [found, instead]) => {
      if (found.length !== instead.length) throw new Error(`${instead} is not as long as ${found}.`);
      return shown.replaceAll(found, instead);
    }, original);
    let from = 0;
    const pieces = output.map((piece) => {
      const to = from + piece.text.length;
      const replaced = { ...piece, text: text.slice(from, to) };
      from = to;
      return replaced;
    });
    return { title, output: pieces };
  });
}
