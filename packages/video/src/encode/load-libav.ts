import LibAV from "@libav.js/variant-webm-vp9";

type Library = Awaited<ReturnType<typeof loadOne>>;

/** FFmpeg's libraries in one WebAssembly instance on this thread, from the package's files. */
export interface Libav {
  calls: Library;
  /** The memory of the instance. Ask again after each call: the view ends when the memory grows. */
  memory(): Uint8Array<ArrayBufferLike>;
}

/** The variant without threads, which would need a worker and shared memory. */
export async function loadLibav(): Promise<Libav> {
  const calls = await loadOne();
  // FFmpeg's AV_LOG_ERROR: the encoder would print its version for each file.
  calls.av_log_set_level_sync(16);
  return { calls, memory: () => memoryOf(calls) };
}

function loadOne() {
  return LibAV.LibAV({ noworker: true, nothreads: true });
}

/** Emscripten's view, which the package's types leave out. */
function memoryOf(calls: Library): Uint8Array<ArrayBufferLike> {
  if ("HEAPU8" in calls && calls.HEAPU8 instanceof Uint8Array) return calls.HEAPU8;
  throw new Error("This build of libav.js has no HEAPU8.");
}
