import { Button } from "../../../parts/button.tsx";

interface Props {
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
      <span className="min-w-0 flex-1 truncate">
        <code className="font-mono text-small">{file}</code>
        <span className="text-muted">
          {" "}
          · version {version}
          {isChanged && ", changed"}
          {!mayChange && ", read only"}
        </span>
      </span>
      {isChanged && (
        <>
          <Button look="quiet" aria-pressed={showsChanges} onClick={() => onShowChanges(!showsChanges)}>
            {showsChanges ? "Hide changes" : "Show changes"}
          </Button>
          <Button look="quiet" onClick={props.onDiscard}>
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
