/** The files that a model takes beside text. */
export interface FileSupport {
  /** Media types of images, as bytes. */
  readonly images: readonly string[];
  /** How PDF documents are sent. `url`: the provider fetches them, so only from public addresses. */
  readonly pdf: "bytes" | "url" | "none";
  /** Which of them a tool result may contain. The others follow in a message of the user. */
  readonly inResults: { readonly images: boolean; readonly pdf: boolean };
}

const allImages = ["image/jpeg", "image/png", "image/gif", "image/webp"] as const;

/** Chat completions: the result of a tool is text. */
export const chatFiles: FileSupport = {
  images: allImages,
  pdf: "bytes",
  inResults: { images: false, pdf: false },
};

export const allFiles: FileSupport = { ...chatFiles, inResults: { images: true, pdf: true } };

export const noFiles: FileSupport = { ...chatFiles, images: [], pdf: "none" };
