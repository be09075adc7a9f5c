import type { StoredFile } from "../store/thread-document.ts";

const maxNameBytes = 200;
/** Whatever a shell, a model or a path could take for something else. */
const unusual = /[^\p{L}\p{M}\p{N}._+@=-]+/gu;

/** Names for the files of a message in a folder that has `taken`: each is one plain word, and none is there twice. */
export function fileNames(files: readonly StoredFile[], taken: Iterable<string>): string[] {
  // Some computers do not distinguish upper and lower case.
  const used = new Set([...taken].map((name) => name.toLowerCase()));
  return files.map((file, index) => {
    const name = unusedName(plainName(file, index), used);
    used.add(name.toLowerCase());
    return name;
  });
}

function plainName({ filename, url }: StoredFile, index: number): string {
  const given = filename ?? lastSegment(url);
  const name = given
    .normalize("NFC")
    .replace(unusual, "_")
    .replace(/^[.-]+/, "_");
  const { stem, extension } = split(name);
  const short = cut(stem, maxNameBytes - Buffer.byteLength(extension)) + extension;
  return /[\p{L}\p{N}]/u.test(short) ? short : `file-${index + 1}`;
}

function unusedName(name: string, used: ReadonlySet<string>): string {
  const { stem, extension } = split(name);
  let found = name;
  for (let number = 2; used.has(found.toLowerCase()); number++) found = `${stem}-${number}${extension}`;
  return found;
}

function split(name: string): { stem: string; extension: string } {
  const dot = name.lastIndexOf(".");
  if (dot <= 0 || name.length - dot > 16) return { stem: name, extension: "" };
  return { stem: name.slice(0, dot), extension: name.slice(dot) };
}

/** Whole characters that have at most so many bytes. */
function cut(text: string, maxBytes: number): string {
  let bytes = 0;
  let end = 0;
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > maxBytes) break;
    end += character.length;
  }
  return text.slice(0, end);
}

function lastSegment(url: string): string {
  const segment = URL.parse(url)?.pathname.split("/").at(-1) ?? "";
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
