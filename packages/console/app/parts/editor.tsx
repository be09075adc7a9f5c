import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { markdown } from "@codemirror/lang-markdown";
import { yaml } from "@codemirror/lang-yaml";
import { bracketMatching, indentOnInput, indentUnit } from "@codemirror/language";
import { type Diagnostic, nextDiagnostic, previousDiagnostic, setDiagnostics } from "@codemirror/lint";
import { unifiedMergeView } from "@codemirror/merge";
import { EditorState, type Extension } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { useEffect, useRef } from "react";
import { editorTheme } from "./editor-theme.ts";

const languages = {
  yaml: [yaml()],
  json: [json()],
  markdown: [markdown(), EditorView.lineWrapping],
  none: [EditorView.lineWrapping],
};

export type EditorLanguage = keyof typeof languages;

interface Props {
  label: string;
  value: string;
  language: EditorLanguage;
  /** Absent: the text can only be read. */
  onChange?: ((value: string) => void) | undefined;
  /** Shows the changes from this text. */
  original?: string | undefined;
  marks?: readonly Diagnostic[];
  /** Moves the cursor there, once for each object. */
  jump?: { offset: number } | undefined;
}

const noMarks: readonly Diagnostic[] = [];

/** A text in an editor. Tab leaves it, so that it is no trap for the keyboard; F8 goes to the next diagnostic. */
export function Editor({ label, value, language, onChange, original, marks = noMarks, jump }: Props) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const latest = useRef({ value, onChange });
  latest.current = { value, onChange };
  const isReadOnly = onChange === undefined;

  useEffect(() => {
    const { current: element } = host;
    if (element === null) return;
    // In a shadow tree, styles are constructed; elsewhere they are `<style>` elements, which the policy of the page forbids.
    const root = element.shadowRoot ?? element.attachShadow({ mode: "open" });
    const editor = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: latest.current.value,
        extensions: [
          basics,
          languages[language],
          EditorState.lineSeparator.of(latest.current.value.includes("\r\n") ? "\r\n" : "\n"),
          EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
          EditorState.readOnly.of(isReadOnly),
          EditorView.updateListener.of(({ docChanged, state }) => {
            const text = state.sliceDoc();
            if (docChanged && text !== latest.current.value) latest.current.onChange?.(text);
          }),
          original === undefined ? [] : changesFrom(original),
        ],
      }),
    });
    view.current = editor;
    return () => editor.destroy();
  }, [label, language, isReadOnly, original]);

  useEffect(() => {
    const { current: editor } = view;
    if (editor !== undefined) replace(editor, value);
  }, [value]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new editor has no marks, and a changed text moves them.
  useEffect(() => {
    const { current: editor } = view;
    if (editor === undefined) return;
    const { length } = editor.state.doc;
    const fitting = marks.map((mark) => ({
      ...mark,
      from: Math.min(mark.from, length),
      to: Math.min(mark.to, length),
    }));
    editor.dispatch(setDiagnostics(editor.state, fitting));
  }, [marks, label, language, isReadOnly, original]);

  useEffect(() => {
    const { current: editor } = view;
    if (editor === undefined || jump === undefined) return;
    const anchor = Math.min(jump.offset, editor.state.doc.length);
    editor.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: "center" }) });
    editor.focus();
  }, [jump]);

  return (
    <div
      ref={host}
      role="group"
      aria-label={`Editor of ${label}`}
      className="h-full min-h-0 overflow-hidden"
    />
  );
}

const basics: Extension = [
  lineNumbers(),
  highlightActiveLine(),
  highlightActiveLineGutter(),
  highlightSpecialChars(),
  drawSelection(),
  history(),
  indentOnInput(),
  indentUnit.of("  "),
  bracketMatching(),
  keymap.of([
    { key: "F8", run: nextDiagnostic },
    { key: "Shift-F8", run: previousDiagnostic },
    ...defaultKeymap,
    ...historyKeymap,
  ]),
  editorTheme,
];

function changesFrom(original: string): Extension {
  const collapseUnchanged = { margin: 3, minSize: 8 };
  return unifiedMergeView({ original, mergeControls: false, collapseUnchanged });
}

/** Replaces only the part that differs, so that the cursor stays. */
function replace(editor: EditorView, value: string): void {
  const before = editor.state.sliceDoc();
  if (before === value) return;
  // Line breaks of two characters are one position of the editor.
  if (value.includes("\r\n")) {
    editor.dispatch({
      changes: { from: 0, to: editor.state.doc.length, insert: editor.state.toText(value) },
    });
    return;
  }
  let from = 0;
  while (from < Math.min(before.length, value.length) && before[from] === value[from]) from++;
  let rest = 0;
  const most = Math.min(before.length, value.length) - from;
  while (rest < most && before[before.length - 1 - rest] === value[value.length - 1 - rest]) rest++;
  const insert = value.slice(from, value.length - rest);
  editor.dispatch({ changes: { from, to: before.length - rest, insert } });
}
