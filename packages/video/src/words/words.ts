/**
 * The words of a video as WebVTT. Each call returns the text completed since the one before; joined, the pieces are the
 * file.
 */
export interface Words {
  /** One chapter for each step. */
  takeChapters(): string;
  /** Who said or did what. */
  takeTranscript(): string;
}
