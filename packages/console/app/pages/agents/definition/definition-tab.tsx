import { MusterError } from "@muster/client";
import { useMutation } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { muster, refresh } from "../../../api.ts";
import { useCredential } from "../../../frame/credential.ts";
import { Skeleton } from "../../../parts/empty.tsx";
import { Failure } from "../../../parts/failure.tsx";
import { LazyEditor } from "../../../parts/lazy-editor.tsx";
import { useAgent } from "../agent.tsx";
import { DefinitionActions } from "./definition-actions.tsx";
import {
  changesOf,
  type Definition,
  filesOf,
  type Located,
  locate,
  offsetOf,
  settingsFile,
  withText,
  wrongRange,
} from "./definition-files.ts";
import { FileList } from "./file-list.tsx";
import { IssueList } from "./issue-list.tsx";
import { Newer } from "./newer.tsx";
import { ReferenceDescription } from "./reference-description.tsx";
import { SettingsForm } from "./settings-form.tsx";
import { useIssues } from "./use-compiled.ts";
import { useDraft } from "./use-draft.ts";
import { useSaveKey } from "./use-save-key.ts";

// The editor arrives together with the definition.
void import("../../../parts/editor.tsx");

export function DefinitionTab() {
  const agent = useAgent();
  const draft = useDraft(agent);
  if (draft.current === undefined)
    return draft.error ? <Failure error={draft.error} /> : <Skeleton lines={10} />;
  return <Editing agentId={agent.id} draft={draft} text={draft.current.text} stored={draft.current.stored} />;
}

interface Props {
  agentId: string;
  draft: ReturnType<typeof useDraft>;
  text: Definition;
  stored: Definition;
}

function Editing({ agentId, draft, text, stored }: Props) {
  const mayChange = useCredential().permissions.includes("agents");
  const [jump, setJump] = useState<{ offset: number }>();
  const [showsChanges, setShowsChanges] = useState(false);
  const [file, open] = useOpenFile(text);
  const checked = useIssues(text, mayChange);
  const files = useMemo(() => filesOf(text), [text]);
  const issues = useMemo(() => checked.issues.map((issue) => locate(issue, files)), [checked.issues, files]);
  const marks = useMarks(issues, file);
  const save = useMutation({
    mutationFn: () =>
      muster.agents.update(agentId, changesOf(stored, text), { version: draft.current?.version }),
    onSuccess: async () => {
      draft.discard();
      setShowsChanges(false);
      await refresh("/api/agents");
    },
    // The other version shows above the text, which stays.
    onError: (error) => (isStale(error) ? refresh("/api/agents") : undefined),
  });
  const show = (name: string) => {
    setJump(undefined);
    open(name);
  };
  const goTo = (issue: Located) => {
    const { file: name, position } = issue;
    show(name);
    const target = files.find((each) => each.name === name);
    if (position !== undefined && target !== undefined) setJump({ offset: offsetOf(target.text, position) });
  };
  const fix = (issue: Located, suggestion: string) => {
    const target = files.find(({ name }) => name === issue.file);
    const range = target && wrongRange(target.text, issue);
    if (target === undefined || range === undefined) return;
    draft.change(
      withText(text, target, target.text.slice(0, range.from) + suggestion + target.text.slice(range.to)),
    );
  };
  // Whatever the server would refuse.
  const canSave = draft.newer === undefined && !issues.some(({ severity }) => severity === "error");
  useSaveKey(() => {
    if (draft.isChanged && canSave && mayChange && !save.isPending) save.mutate();
  });
  const before = filesOf(stored).find(({ name }) => name === file.name)?.text;
  return (
    <div data-fills className="flex min-h-[34rem] flex-1 flex-col gap-3 max-md:min-h-[44rem]">
      {draft.newer !== undefined && <Newer draft={draft} newer={draft.newer} text={text} />}
      {!isStale(save.error) && <Failure error={save.error} />}
      <div className="grid min-h-0 flex-1 grid-cols-[15rem_minmax(0,1fr)] overflow-hidden rounded-card border border-line bg-panel max-md:grid-cols-1 max-md:grid-rows-[auto_minmax(20rem,1fr)]">
        <FileList
          files={files}
          issues={issues}
          chosen={file.name}
          onOpen={show}
          text={text}
          onChange={mayChange ? draft.change : undefined}
        />
        <div className="flex min-h-0 min-w-0 flex-col border-l border-line max-md:border-t max-md:border-l-0">
          <DefinitionActions
            file={file.name}
            version={draft.current?.version ?? 0}
            isChanged={draft.isChanged}
            showsChanges={showsChanges}
            onShowChanges={setShowsChanges}
            mayChange={mayChange}
            isSaving={save.isPending}
            canSave={canSave}
            onSave={() => save.mutate()}
            onDiscard={draft.discard}
          />
          <ReferenceDescription
            text={text}
            path={file.path}
            issues={issues}
            onChange={mayChange ? draft.change : undefined}
          />
          <div className="min-h-0 flex-1">
            {file.name === settingsFile ? (
              <SettingsForm text={text} issues={issues} onChange={mayChange ? draft.change : undefined} />
            ) : (
              <LazyEditor
                key={file.name}
                label={file.name}
                value={file.text}
                language={file.language}
                original={showsChanges ? (before ?? "") : undefined}
                marks={marks}
                jump={jump}
                onChange={mayChange ? (changed) => draft.change(withText(text, file, changed)) : undefined}
              />
            )}
          </div>
        </div>
      </div>
      <IssueList
        issues={issues}
        checked={checked}
        files={files}
        onGo={goTo}
        onFix={mayChange ? fix : undefined}
      />
    </div>
  );
}

/** The file in the address bar, so that a link and the way back show it. */
function useOpenFile(text: Definition) {
  const { file: name } = getRouteApi("/agents/$agentId/definition").useSearch();
  const navigate = useNavigate({ from: "/agents/$agentId/definition" });
  const files = filesOf(text);
  const file = files.find((each) => each.name === name) ?? files[0];
  if (file === undefined) throw new Error("a definition has a protocol");
  const open = (chosen: string) =>
    void navigate({ search: chosen === files[0]?.name ? {} : { file: chosen }, replace: true });
  return [file, open] as const;
}

function useMarks(issues: readonly Located[], file: { name: string; text: string }) {
  return useMemo(
    () =>
      issues.flatMap((issue) => {
        const { file: name, position, message, severity } = issue;
        if (name !== file.name || position === undefined) return [];
        const from = offsetOf(file.text, position);
        const [word = ""] = /^[^\n]?[\w./-]*/.exec(file.text.slice(from)) ?? [];
        const { from: start, to } = wrongRange(file.text, issue) ?? { from, to: from + word.length };
        return { from: start, to, message, severity };
      }),
    [issues, file.name, file.text],
  );
}

function isStale(error: Error | null): boolean {
  return error instanceof MusterError && error.code === "VERSION_MISMATCH";
}
