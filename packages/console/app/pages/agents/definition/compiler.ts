import type { DefinitionSource } from "@muster/language";
import type { CompileReply, CompileRequest } from "./compile-worker.ts";
import workerUrl from "./compile-worker.ts?worker&url";

/** Longer than the largest definition takes. */
const patienceMs = 10_000;

let worker: Worker | undefined;
let requests = 0;
const waiting = new Map<number, PromiseWithResolvers<CompileReply>>();

/** Compiles a definition beside the page, with the compiler of the server. It knows neither models nor other agents. */
export async function compile(source: DefinitionSource): Promise<CompileReply> {
  worker ??= startWorker();
  const id = ++requests;
  const request: CompileRequest = { id, source };
  const reply = Promise.withResolvers<CompileReply>();
  waiting.set(id, reply);
  worker.postMessage(request);
  const timer = setTimeout(() => fail("The compiler took too long."), patienceMs);
  try {
    return await reply.promise;
  } finally {
    clearTimeout(timer);
    waiting.delete(id);
  }
}

function startWorker(): Worker {
  const started = new Worker(trusted(workerUrl), { type: "module" });
  started.addEventListener("message", ({ data }: MessageEvent<CompileReply>) =>
    waiting.get(data.id)?.resolve(data),
  );
  started.addEventListener("error", () => fail("The compiler could not be loaded."));
  return started;
}

function fail(message: string): void {
  worker?.terminate();
  worker = undefined;
  for (const { reject } of waiting.values()) reject(new Error(message));
}

/** The policy of the page accepts no plain text as the address of a script. This one is part of the build. */
function trusted(url: string): string {
  const policies = globalThis.trustedTypes;
  policy ??= policies?.createPolicy("muster-worker", { createScriptURL: (text) => text });
  return policy?.createScriptURL(url) ?? url;
}

let policy: { createScriptURL(url: string): string } | undefined;

declare global {
  /** Not in the types of all browsers. Its addresses pass for texts. */
  var trustedTypes:
    | {
        createPolicy(
          name: string,
          rules: { createScriptURL(url: string): string },
        ): { createScriptURL(url: string): string };
      }
    | undefined;
}
