/** The value of Content-Disposition for a file that is saved under this name. `inline`: browsers show it first. */
export function dispositionOf(filename: string, kind: "attachment" | "inline" = "attachment"): string {
  const ascii = filename.replace(/[^\x20-\x7e]|["\\%]/g, "_");
  return `${kind}; filename="${ascii}"; filename*=UTF-8''${encoded(filename.toWellFormed())}`;
}

/** RFC 8187 allows fewer characters than encodeURIComponent leaves. */
function encoded(text: string): string {
  return encodeURIComponent(text).replace(
    /['()*!]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
