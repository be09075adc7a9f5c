import type { DefinitionSource, Diagnostic, Program } from "@muster/language";
import { compileDefinition } from "@muster/language/compile";

export interface CompileRequest {
  readonly id: number;
  readonly source: DefinitionSource;
}

export interface CompileReply {
  readonly id: number;
  readonly issues: readonly Diagnostic[];
  /** Absent if an issue is an error. */
  readonly program?: Program;
}

// Its only peer is `compiler.ts`, which sends definitions and nothing else.
addEventListener("message", ({ data: { id, source } }: MessageEvent<CompileRequest>) => {
  const compiled = compileDefinition(source);
  const reply: CompileReply = {
    id,
    issues: compiled.issues,
    ...(compiled.ok && { program: compiled.program }),
  };
  postMessage(reply);
});
