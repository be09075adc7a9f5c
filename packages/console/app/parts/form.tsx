import { MusterError } from "@muster/client";
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useEffect, useRef } from "react";
import { refresh } from "../api.ts";
import { Button } from "./button.tsx";
import { Failure } from "./failure.tsx";

/** The properties of the field for a path of the request's body. */
export type At = (path: string) => { name: string; path: string; error: Error | null };

interface Props<Reply> {
  /** The word on the button. */
  label: string;
  look?: "primary" | "plain";
  save: (values: FormData) => Promise<Reply>;
  onSaved?: (reply: Reply) => void;
  /** Shown next to the button. */
  beside?: ReactNode;
  children: (at: At) => ReactNode;
}

/** Sends what its fields contain. Refusals appear at their fields, all others above the button. */
export function Form<Reply>({
  label,
  look = "primary",
  save,
  onSaved = () => {},
  beside,
  children,
}: Props<Reply>) {
  const form = useRef<HTMLFormElement>(null);
  const { mutate, error, isPending } = useMutation({
    mutationFn: save,
    onSuccess: onSaved,
    // The page shows what others have changed meanwhile.
    onError: (error) => isStale(error) && refresh("/api/"),
  });
  useEffect(() => {
    if (error !== null) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [error]);
  const paths: string[] = [];
  const fields = children((path) => {
    paths.push(path);
    return { name: path, path, error };
  });
  return (
    <form
      ref={form}
      // The server has the rules, and says them better than a browser.
      noValidate
      className="grid content-start gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        mutate(new FormData(event.currentTarget));
      }}
    >
      {fields}
      {error !== null && !isPlaced(error, paths) && <Failure error={error} />}
      <div className="flex flex-wrap items-center gap-2">
        <Button type="submit" look={look} disabled={isPending}>
          {label}
        </Button>
        {beside}
      </div>
    </form>
  );
}

function isStale(error: Error): boolean {
  return error instanceof MusterError && error.code === "VERSION_MISMATCH";
}

/** Whether the fields show all that is wrong. */
function isPlaced(error: Error, paths: readonly string[]): boolean {
  if (!(error instanceof MusterError) || error.issues.length === 0) return false;
  return error.issues.every(({ path }) =>
    paths.some((field) => path === field || path.startsWith(`${field}.`)),
  );
}

/** The text of a field without spaces around it; undefined if it is empty. */
export function textIn(values: FormData, name: string): string | undefined {
  const value = values.get(name);
  const text = typeof value === "string" ? value.trim() : "";
  return text === "" ? undefined : text;
}

/** The number in a field; null if it is empty. Any other text is left to the server to refuse. */
export function numberIn(values: FormData, name: string): number | string | null {
  const text = textIn(values, name);
  if (text === undefined) return null;
  return Number.isNaN(Number(text)) ? text : Number(text);
}
