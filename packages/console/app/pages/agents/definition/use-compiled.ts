import type { ValidationReport } from "@muster/client";
import type { Program } from "@muster/language";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { muster } from "../../../api.ts";
import { compile } from "./compiler.ts";
import { bodyOf, type Definition, type Issue } from "./definition-files.ts";

const compileAfterMs = 120;
const askAfterMs = 700;

/** The program of a definition, for its triggers and inputs. Undefined until it is compiled, null if it has errors. */
export function useProgram(definition: Definition): {
  program: Program | null | undefined;
  error: Error | null;
} {
  const text = JSON.stringify(bodyOf(definition));
  const { data, error } = useQuery({
    queryKey: ["compile", text],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => (await compile(bodyOf(definition))).program ?? null,
  });
  return { program: data, error };
}

interface Checked {
  issues: readonly Issue[];
  /** `browser`: without what only the server knows, such as models. */
  by: "browser" | "server";
  text: string;
}

/** The diagnostics of a definition while it is written: first those of the compiler, then also those of the server. */
export function useIssues(definition: Definition, mayAsk: boolean) {
  const text = JSON.stringify(bodyOf(definition));
  const [checked, setChecked] = useState<Checked>();
  const [error, setError] = useState<Error | null>(null);
  useEffect(() => {
    const stop = new AbortController();
    const { signal } = stop;
    const source = bodyOf(JSON.parse(text));
    const show = (by: Checked["by"], issues: readonly Issue[]) => {
      if (signal.aborted) return;
      setError(null);
      setChecked((before) => (by === "browser" && before?.text === text ? before : { by, issues, text }));
    };
    const failed = (cause: unknown) => {
      if (!signal.aborted) setError(cause instanceof Error ? cause : new Error(String(cause)));
    };
    const compiling = setTimeout(() => {
      compile(source).then(({ issues }) => show("browser", toIssues(issues)), failed);
    }, compileAfterMs);
    const asking = setTimeout(() => {
      if (!mayAsk) return;
      muster
        .request<ValidationReport>("POST", "/api/agents/validate", { body: source, signal })
        .then(({ issues }) => show("server", issues), failed);
    }, askAfterMs);
    return () => {
      stop.abort();
      clearTimeout(compiling);
      clearTimeout(asking);
    };
  }, [text, mayAsk]);
  return { issues: checked?.issues ?? [], isCurrent: checked?.text === text, by: checked?.by, error };
}

function toIssues(
  issues: readonly (Omit<Issue, "suggestions"> & { suggestions?: readonly string[] })[],
): Issue[] {
  return issues.map(({ suggestions, ...issue }) => ({
    ...issue,
    ...(suggestions !== undefined && { suggestions: [...suggestions] }),
  }));
}
