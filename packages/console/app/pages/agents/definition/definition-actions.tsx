import type { Ref } from "react";
import { Button } from "../../../parts/button.tsx";

interface Props {
  /** Takes the focus of buttons that are gone. */
  ref: Ref<HTMLParagraphElement>;
  file: string;
  version: number;
  isChanged: boolean;
  showsChanges: boolean;
  onShowChanges: (shows: boolean) => void;
  mayChange: boolean;
  isSaving: boolean;
  canSave: boolean;
  onSave: () => void;
  onDiscard: () => void;
}

export function DefinitionActions(props: Props) {
  const { file, version, isChanged, showsChanges, onShowChanges, mayChange, isSaving, canSave } = props;
  return (
    <div className="flex min-h-11 flex-wrap items-center gap-2 border-b border-line px-3 py-1.5 text-table">
      <p
        ref={props.ref}
        role="status"
        tabIndex={-1}
        className="min-w-0 flex-1 truncate outline-none max-md:basis-full"
      >
        <code className="font-mono text-small">{file}</code>
        <span className="text-muted">
          {" "}
          · version {version}
          {isChanged && ", changed"}
          {!mayChange && ", read only"}
        </span>
      </p>
      {isChanged && (
        <>
          <Button
            look="quiet"
            className="max-md:px-2!"
            aria-pressed={showsChanges}
            onClick={() => onShowChanges(!showsChanges)}
          >
            {showsChanges ? "Hide changes" : "Show changes"}
          </Button>
          <Button look="quiet" className="max-md:px-2!" onClick={props.onDiscard}>
            Discard
          </Button>
          <Button look="primary" disabled={isSaving || !canSave} onClick={props.onSave}>
            {isSaving ? "Saving …" : `Save version ${version + 1}`}
          </Button>
        </>
      )}
    </div>
  );
}
