import type { SyntaxNode } from "@lezer/common";
import { parser } from "@prometheus-io/lezer-promql";

export interface LabelMatcher {
  label: string;
  operator: string;
  value: string;
}

/** The names in an expression. */
export interface Names {
  selectors: Array<{ metric: string; matchers: LabelMatcher[] }>;
  /** The labels of `by`, `without`, `on` and `ignoring`. */
  grouping: string[];
}

/** Parses a PromQL expression. Throws if it has a syntax error. */
export function namesIn(expression: string): Names {
  const textOf = (node: SyntaxNode) => expression.slice(node.from, node.to);
  const names: Names = { selectors: [], grouping: [] };
  parser.parse(expression).iterate({
    enter: ({ node, type }) => {
      if (type.isError) {
        const near = expression.slice(Math.max(0, node.from - 20), node.from + 20);
        throw new Error(`Not PromQL near "${near}": ${expression}`);
      }
      if (type.name === "VectorSelector") {
        const metric = node.getChild("Identifier");
        if (metric === null) throw new Error(`A selector names no metric: ${textOf(node)}`);
        const matchers = node.getChild("LabelMatchers")?.getChildren("UnquotedLabelMatcher") ?? [];
        names.selectors.push({
          metric: textOf(metric),
          matchers: matchers.map((each) => matcherOf(each, textOf)),
        });
      }
      if (type.name === "GroupingLabels") names.grouping.push(...node.getChildren("LabelName").map(textOf));
    },
  });
  return names;
}

function matcherOf(node: SyntaxNode, textOf: (node: SyntaxNode) => string): LabelMatcher {
  const [label, operator, value] = ["LabelName", "MatchOp", "StringLiteral"].map((name) => {
    const child = node.getChild(name);
    if (child === null) throw new Error(`Not a matcher: ${textOf(node)}`);
    return textOf(child);
  });
  return { label: label ?? "", operator: operator ?? "", value: (value ?? "").slice(1, -1) };
}
