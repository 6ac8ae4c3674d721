/** Reads out of PromQL what it asks for: the selectors with their matchers, and the labels it groups by. */

export interface Selector {
  readonly metric: string
  readonly matchers: readonly {
    readonly label: string
    readonly operator: string
    readonly value: string
  }[]
}

export interface Asked {
  readonly selectors: readonly Selector[]
  readonly groupedBy: readonly string[]
}

/** Functions and operators, which look like names of metrics. */
const functions = new Set([
  ...['histogram_quantile', 'sum', 'min', 'max', 'rate', 'increase', 'and'],
  ...['abs', 'sqrt', 'clamp_max', 'topk'],
])
const token =
  /\s*(?:offset \d+d|(?<grouping>\b(?:by|without)\s*\((?<labels>[^)]*)\))|(?<name>[a-zA-Z_:][\w:]*)(?:\{(?<matchers>[^}]*)\})?(?<range>\[[^\]]+\])?|(?<other>[-+*/^()<>=!,]+|\d[\d.]*))/y
const matcher = /\s*([a-zA-Z_]\w*)(=~|!~|!=|=)"((?:[^"\\]|\\.)*)"\s*(?:,|$)/y

/** Throws for what it cannot read, and for brackets that do not match. */
export function readPromql(expression: string): Asked {
  const tokens = tokensOf(expression)
  assertBrackets(expression)
  return {
    selectors: tokens.flatMap(({ name, matchers = '' }) =>
      name === undefined || functions.has(name)
        ? []
        : [{ metric: name, matchers: readMatchers(matchers) }],
    ),
    groupedBy: tokens.flatMap(({ labels }) =>
      labels === undefined ? [] : labels.split(',').map((label) => label.trim()),
    ),
  }
}

function tokensOf(expression: string): readonly Record<string, string | undefined>[] {
  const tokens: Record<string, string | undefined>[] = []
  token.lastIndex = 0
  while (token.lastIndex < expression.trimEnd().length) {
    const at = token.lastIndex
    const groups = token.exec(expression)?.groups
    if (!groups) throw new Error(`not PromQL at ${at}: ${expression}`)
    tokens.push(groups)
  }
  return tokens
}

function assertBrackets(expression: string): void {
  let depth = 0
  for (const sign of expression.replaceAll(/"[^"]*"/g, '')) {
    depth += sign === '(' ? 1 : sign === ')' ? -1 : 0
    if (depth < 0) break
  }
  if (depth !== 0) throw new Error(`brackets that do not match: ${expression}`)
}

function readMatchers(text: string): Selector['matchers'] {
  const matchers: Selector['matchers'][number][] = []
  matcher.lastIndex = 0
  while (matcher.lastIndex < text.length) {
    const at = matcher.lastIndex
    const [, label = '', operator = '', value = ''] = matcher.exec(text) ?? []
    if (label === '') throw new Error(`not matchers at ${at}: ${text}`)
    matchers.push({ label, operator, value })
  }
  return matchers
}
