/** Colours the tokens of a rule, and completes the names and functions of the language. */

import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete'
import {
  Decoration,
  type EditorView,
  MatchDecorator,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view'

const token =
  /("""[\s\S]*?"""|r?"(?:[^"\\\n]|\\.)*"?|r?'(?:[^'\\\n]|\\.)*'?)|(\b\d[\w.]*)|\b(true|false|null|in|has)\b|\b((?:signal|target|list|request|param)(?:\.\w+\b(?!\())*)|\b(\w+)(?=\()|([!=<>&|?:+\-*/%]+)/g
const kinds = ['string', 'number', 'keyword', 'name', 'function', 'operator']

const decorator = new MatchDecorator({
  regexp: token,
  decoration: (match) => {
    const kind = kinds.find((_, index) => match[index + 1] !== undefined)
    return Decoration.mark({ class: `cel-${kind}` })
  },
})

/** A view plugin: no parser is loaded for one line of text. */
export const celTokens = ViewPlugin.fromClass(
  class {
    decorations
    constructor(view: EditorView) {
      this.decorations = decorator.createDeco(view)
    }
    update(update: ViewUpdate) {
      this.decorations = decorator.updateDeco(update, this.decorations)
    }
  },
  { decorations: (plugin) => plugin.decorations },
)

/** With what stands behind the name when it is chosen. */
const functions: readonly (readonly [string, string])[] = [
  ['has', 'has(name): whether a name arrived'],
  ['size', 'x.size(): characters of a text, items of a list'],
  ['contains', 'x.contains(y)'],
  ['startsWith', 'x.startsWith(y)'],
  ['endsWith', 'x.endsWith(y)'],
  ['matches', 'x.matches("pattern")'],
  ['lowerAscii', 'x.lowerAscii()'],
  ['upperAscii', 'x.upperAscii()'],
  ['int', 'int(x): a whole number'],
  ['double', 'double(x): a number'],
  ['bool', 'bool(x)'],
  ['string', 'string(x)'],
  ['timestamp', 'timestamp("2026-05-31T12:00:00Z")'],
  ['duration', 'duration("1h30m")'],
  ['getHours', 'x.getHours(): hour of the day, UTC'],
  ['getDayOfWeek', 'x.getDayOfWeek(): Sunday is 0'],
  ['inCidr', 'inCidr(ip, ["192.0.2.0/24"])'],
  ['emailDomain', 'emailDomain(address)'],
  ['phoneCountry', 'phoneCountry(number): ISO 3166'],
  ['inList', 'inList("list", name)'],
]

export interface ReadableName {
  readonly name: string
  readonly type: string
  readonly meaning: string
}

/** What may stand at the cursor. `names` are those that the account's rules may read. */
export function completeFrom(names: () => readonly ReadableName[]) {
  return (context: CompletionContext): CompletionResult | null => {
    const word = context.matchBefore(/[\w.]+/)
    if (!word && !context.explicit) return null
    const from = word?.from ?? context.pos
    const options: Completion[] = names().map(({ name, type, meaning }) => ({
      label: name.replace('<key>', ''),
      detail: type,
      info: meaning,
      type: 'variable',
    }))
    const called = word?.text.slice(0, word.text.lastIndexOf('.') + 1) ?? ''
    options.push(
      ...functions.map(([name, detail]) => ({
        label: called + name,
        displayLabel: name,
        apply: `${called}${name}(`,
        detail,
        type: 'function',
      })),
    )
    return { from, options, validFor: /^[\w.]*$/ }
  }
}
