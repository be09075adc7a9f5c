import { MusterError } from "@muster/client";
import { type ComponentProps, type ReactNode, useId } from "react";

export const inputShape =
  "w-full rounded-card border border-line bg-ground px-3 py-1.5 text-table placeholder:text-muted aria-invalid:border-bad max-md:min-h-10";

interface Props {
  label: string;
  hint?: ReactNode;
  /** The refusal of the request; what it says about `path` is shown here. */
  error?: Error | null | undefined;
  path?: string;
  children: (props: {
    id: string;
    "aria-invalid": boolean;
    "aria-describedby": string;
    className: string;
  }) => ReactNode;
}

/** A refusal's words about a path and those below it. */
export function issuesAt(error: Error | null | undefined, path: string | undefined) {
  if (path === undefined || !(error instanceof MusterError)) return [];
  return error.issues.filter((issue) => issue.path === path || issue.path.startsWith(`${path}.`));
}

/** A labelled control with its hint and with the API's words about its value. */
export function Field({ label, hint, error, path, children }: Props) {
  const id = useId();
  const issues = issuesAt(error, path);
  const controls = {
    id,
    "aria-invalid": issues.length > 0,
    "aria-describedby": `${id}-notes`,
    className: inputShape,
  };
  return (
    <div className="grid content-start gap-1">
      <label htmlFor={id} className="text-table font-medium">
        {label}
      </label>
      {children(controls)}
      <div id={`${id}-notes`} className="text-small text-muted empty:hidden">
        {hint}
        {issues.map(({ message }) => (
          <p key={message} className="text-bad">
            {message}
          </p>
        ))}
      </div>
    </div>
  );
}

/** A field of one line. */
export function TextField({
  label,
  hint,
  error,
  path,
  ...rest
}: Omit<Props, "children"> & ComponentProps<"input">) {
  return (
    <Field label={label} hint={hint} error={error} {...(path !== undefined && { path })}>
      {(controls) => <input {...controls} {...rest} />}
    </Field>
  );
}
