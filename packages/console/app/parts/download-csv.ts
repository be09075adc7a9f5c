/** Saves a table as CSV. */
export function downloadCsv(name: string, rows: ReadonlyArray<ReadonlyArray<string | number>>): void {
  const text = rows.map((row) => `${row.map(cellOf).join(",")}\r\n`).join("");
  const url = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Quoted if necessary. A spreadsheet must not take a name for a formula. */
function cellOf(value: string | number): string {
  const text = typeof value === "string" && /^[=+@-]/.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
