import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const wavy = (colour: string) => ({
  // The default is a `data:` image, which the policy of the page forbids.
  backgroundImage: "none",
  textDecoration: `underline wavy var(--${colour})`,
  textDecorationSkipInk: "none",
  textUnderlineOffset: "3px",
});

const mix = (colour: string, percent: number) =>
  `color-mix(in srgb, var(--${colour}) ${percent}%, transparent)`;

/** Editors in the colours of the console. */
export const editorTheme = [
  EditorView.theme({
    "&": { height: "100%", color: "var(--text)", backgroundColor: "var(--panel)", fontSize: "13px" },
    "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "-2px" },
    ".cm-scroller": { fontFamily: '"JetBrains Mono", ui-monospace, monospace', lineHeight: "20px" },
    ".cm-content": { caretColor: "var(--text)", padding: "8px 0" },
    ".cm-cursor": { borderLeftColor: "var(--text)" },
    ".cm-gutters": { backgroundColor: "var(--panel)", color: "var(--muted)", border: "none" },
    ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "transparent" },
    "&.cm-focused .cm-activeLineGutter": { color: "var(--text)" },
    "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
      backgroundColor: mix("accent", 30),
    },
    ".cm-tooltip": {
      backgroundColor: "var(--raised)",
      color: "var(--text)",
      border: "1px solid var(--line)",
      borderRadius: "8px",
      fontSize: "13px",
      maxWidth: "min(36rem, 90vw)",
    },
    ".cm-diagnostic": { padding: "6px 10px", fontFamily: "Inter, system-ui, sans-serif" },
    ".cm-diagnosticAction": {
      backgroundColor: "var(--panel)",
      color: "var(--text)",
      border: "1px solid var(--line)",
      borderRadius: "5px",
      padding: "1px 8px",
    },
    ".cm-diagnostic-error": { borderLeft: "3px solid var(--bad)" },
    ".cm-diagnostic-warning": { borderLeft: "3px solid var(--warn)" },
    ".cm-diagnostic-info": { borderLeft: "3px solid var(--accent)" },
    ".cm-lintRange-error": wavy("bad"),
    ".cm-lintRange-warning": wavy("warn"),
    ".cm-lintRange-info": wavy("accent"),
    ".cm-lintRange-active": { backgroundColor: mix("warn", 15) },
    "&.cm-merge-b .cm-changedLine, .cm-insertedLine": { backgroundColor: mix("good", 12) },
    "&.cm-merge-a .cm-changedLine, .cm-deletedChunk": { backgroundColor: mix("bad", 12) },
    "&.cm-merge-b .cm-changedText": { background: mix("good", 28) },
    "&.cm-merge-a .cm-changedText, .cm-deletedChunk .cm-deletedText": { background: mix("bad", 28) },
    // The colours of tokens are legible on the panel alone.
    ".cm-changedLine span, .cm-insertedLine span, .cm-deletedChunk span": { color: "var(--text)" },
    ".cm-deletedLine, .cm-deletedLine del": { textDecoration: "none" },
    "&.cm-merge-b .cm-changedLineGutter": { backgroundColor: "var(--good)" },
    "&.cm-merge-a .cm-changedLineGutter, .cm-deletedLineGutter": { backgroundColor: "var(--bad)" },
    // The default is in none of the fonts.
    ".cm-collapsedLines:before, .cm-collapsedLines:after": { content: '"…"' },
    ".cm-collapsedLines": {
      background: "var(--raised)",
      color: "var(--muted)",
      padding: "3px 12px",
      fontFamily: "Inter, system-ui, sans-serif",
    },
  }),
  syntaxHighlighting(
    HighlightStyle.define([
      { tag: [tags.propertyName, tags.definition(tags.propertyName), tags.heading], color: "var(--accent)" },
      { tag: [tags.string, tags.special(tags.string)], color: "var(--good)" },
      { tag: [tags.number, tags.bool, tags.null, tags.keyword], color: "var(--warn)" },
      { tag: [tags.comment, tags.meta, tags.quote, tags.processingInstruction], color: "var(--muted)" },
      { tag: tags.heading, fontWeight: "600" },
      { tag: tags.strong, fontWeight: "600" },
      { tag: tags.emphasis, fontStyle: "italic" },
    ]),
  ),
];
