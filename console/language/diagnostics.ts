/** Underlines the mistakes that the service found where they stand in the text. */

import { StateEffect, StateField, type Text } from '@codemirror/state'
import { Decoration, type DecorationSet, EditorView } from '@codemirror/view'

/** As the API tells it: lines and columns from 1; one without them is of the whole text. */
export interface Mistake {
  readonly message: string
  readonly line?: number
  readonly column?: number
  readonly length?: number
}

/** Of the text as it is now. */
export const setMistakes = StateEffect.define<readonly Mistake[]>()

/** They stay at their words until the next answer. */
export const mistakes = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (shown, transaction) => {
    for (const effect of transaction.effects) {
      if (effect.is(setMistakes)) return underline(transaction.newDoc, effect.value)
    }
    return shown.map(transaction.changes)
  },
  provide: (field) => EditorView.decorations.from(field),
})

function underline(doc: Text, found: readonly Mistake[]): DecorationSet {
  const marks = found.flatMap((mistake) => {
    const { from, to } = rangeOf(doc, mistake)
    const attributes = { title: mistake.message }
    return from < to ? [Decoration.mark({ class: 'cel-mistake', attributes }).range(from, to)] : []
  })
  return Decoration.set(marks, true)
}

function rangeOf(doc: Text, { line, column = 1, length = 1 }: Mistake) {
  if (line === undefined || line > doc.lines) return { from: 0, to: doc.length }
  const from = Math.min(doc.line(line).from + column - 1, doc.length)
  // at the end of the text there is nothing to underline but what is before it
  return {
    from: from === doc.length ? Math.max(0, from - 1) : from,
    to: Math.min(from + length, doc.length),
  }
}

/** What the service says, without the place, which is shown. */
export function messageOf({ message }: Mistake): string {
  return message.replace(/^The expression does not compile: ERROR: <input>:\d+:\d+: /, '')
}
