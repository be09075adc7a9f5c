import { useMemo } from "react";
import { LazyEditor } from "../../../parts/lazy-editor.tsx";
import { type DefinitionFile, type Located, offsetOf, wrongRange } from "./definition-files.ts";

interface Props {
  file: DefinitionFile;
  /** Other files stay in the page, so that their changes can be undone later. */
  isShown: boolean;
  issues: readonly Located[];
  /** Shows the changes from this text. */
  original: string | undefined;
  jump: { offset: number } | undefined;
  onChange: ((text: string) => void) | undefined;
}

/** The editor of a file, with its diagnostics. */
export function FileEditor({ file, isShown, issues, original, jump, onChange }: Props) {
  const { name, text, language } = file;
  const marks = useMemo(
    () => issues.filter((issue) => issue.file === name).flatMap((issue) => markOf(issue, text)),
    [issues, name, text],
  );
  return (
    <div className="h-full" hidden={!isShown}>
      <LazyEditor
        label={name}
        value={text}
        language={language}
        original={original}
        marks={marks}
        jump={isShown ? jump : undefined}
        onChange={onChange}
      />
    </div>
  );
}

function markOf(issue: Located, text: string) {
  const { position, message, severity } = issue;
  if (position === undefined) return [];
  const from = offsetOf(text, position);
  const [word = ""] = /^[^\n]?[\w./-]*/.exec(text.slice(from)) ?? [];
  const range = wrongRange(text, issue) ?? { from, to: from + word.length };
  return [{ ...range, message, severity }];
}
