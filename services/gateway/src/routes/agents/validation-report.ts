import type { Issue } from "@muster/proto/errors";

type Severity = "error" | "warning" | "info";

interface Brief<S extends Severity> {
  message: string;
  path: string;
  severity: S;
}

/** The response of Validate. `errors` and `warnings` are the issues of that severity, in short. */
export interface ValidationReport {
  /** True if there are no errors. */
  valid: boolean;
  errors: Brief<"error">[];
  warnings: Brief<"warning">[];
  issues: Array<Brief<Severity> & { code: string; suggestions?: string[] }>;
}

export function validationReport(
  found: ReadonlyArray<Pick<Issue, "code" | "message" | "path" | "severity" | "suggestions">>,
): ValidationReport {
  const issues = found.map(({ code, path, message, severity, suggestions }) => ({
    ...{ code, path, message, severity: severityOf(severity) },
    ...(suggestions.length === 0 ? {} : { suggestions }),
  }));
  const brief = <S extends Severity>(wanted: S): Brief<S>[] =>
    issues
      .filter(({ severity }) => severity === wanted)
      .map(({ message, path }) => ({ message, path, severity: wanted }));
  const errors = brief("error");
  return { valid: errors.length === 0, errors, warnings: brief("warning"), issues };
}

/** An issue without a severity is an error. */
function severityOf(text: string): Severity {
  return text === "warning" || text === "info" ? text : "error";
}
