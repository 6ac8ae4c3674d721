/** Declares limits on the size of rules, of their patterns, lookups and explanations. */

export const ruleLimits = Object.freeze({
  /** Characters (UTF-16 units) of a rule's text. */
  textChars: 4096,
  /** Nodes of a rule's expression. */
  nodes: 1000,
  /**
   * Levels of a rule's expression; a chain of `&&` or `||` is one. Each is two of JSON, and a plan must fit into
   * canonical JSON.
   */
  depth: 24,
  /** Items of one list. */
  listItems: 500,
  /** Characters of one text written in a rule. */
  literalChars: 1024,
  /** Characters of the pattern of `matches`. */
  patternChars: 512,
  /** Size of one pattern, see `measurePattern`. */
  patternSize: 2000,
  /** Size of all patterns of a rule; checked when a rule is saved, like those that follow. */
  rulePatterns: 4000,
  /** Size of all patterns of the rules of a recipe. */
  recipePatterns: 20_000,
  /** Size of all patterns of the rules of a flow, which are compiled together. */
  flowPatterns: 50_000,
  /** Different list lookups of one rule. */
  lookups: 20,
  /** Different list lookups of all rules of a flow. */
  planLookups: 100,
  /** Different counters of one rule. */
  counters: 10,
  /** Problems reported of one rule. */
  problems: 10,
  /** Characters of one value of the evidence, as its schema allows. */
  evidenceChars: 8192,
  /** Nodes of one rule's explanation; one with a long value counts as several. */
  traceNodes: 2000,
  /** Nodes of the explanations of all rules of one run, after which rules are explained without their parts. */
  runTraceNodes: 20_000,
  /** Values of reads in the explanations of all rules of one run, after which reads are explained without them. */
  runReadValues: 50_000,
})
