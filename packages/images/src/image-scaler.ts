import { createThreadPool, TooManyTasksError } from "@muster/large-data";
import type { Picture, ScaleRequest } from "./scale-image.ts";

/** Why an image cannot be scaled: the end of a sentence whose subject is the image. */
export class ImageProblem extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ImageProblem";
  }
}

export interface ImageScaler {
  /** Throws ImageProblem, and the reason of the signal. */
  scale(request: Omit<ScaleRequest, "maxPixels">, signal: AbortSignal): Promise<Picture>;
  close(): Promise<void>;
}

export interface ImageScalerOptions {
  /** For one image. Default: 20 s. */
  timeoutMs?: number;
}

/** Decoded, such an image takes 160 MB. */
export const maxPixels = 40_000_000;

const maxWaiting = 32;
const defaultTimeoutMs = 20_000;

/** One thread, so that one image is decoded at a time. It starts with the first image. */
export function createImageScaler({ timeoutMs = defaultTimeoutMs }: ImageScalerOptions = {}): ImageScaler {
  const module = new URL("scale-image.ts", import.meta.url);
  const threads = createThreadPool<Pick<typeof import("./scale-image.ts"), "scaleImage">>(module, {
    maxThreads: 1,
    maxWaiting,
  });
  return {
    scale: async (request, signal) => {
      signal.throwIfAborted();
      const deadline = AbortSignal.timeout(timeoutMs);
      try {
        const limits = AbortSignal.any([signal, deadline]);
        const scaled = await threads.run("scaleImage", { ...request, maxPixels }, [], limits);
        if ("problem" in scaled) throw new ImageProblem(scaled.problem);
        return "picture" in scaled ? scaled.picture : request;
      } catch (error) {
        signal.throwIfAborted();
        if (deadline.aborted) throw new ImageProblem("takes too long to scale down", { cause: error });
        if (!(error instanceof TooManyTasksError)) throw error;
        throw new ImageProblem("cannot be scaled down, because too many images are waiting", {
          cause: error,
        });
      }
    },
    close: () => threads.close(),
  };
}
