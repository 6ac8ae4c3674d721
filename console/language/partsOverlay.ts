/** Underlines the names in a rule by what arrived: dotted where something is missing. */

import { StateEffect, StateField } from '@codemirror/state'
import { Decoration, type DecorationSet, EditorView } from '@codemirror/view'

export interface ReadOfRule {
  readonly name: string
  readonly arrived: boolean
  readonly value?: unknown
  readonly needed?: false
}

/** The reads of the text as it is now; none while that is not known. */
export const setReads = StateEffect.define<readonly ReadOfRule[]>()

const nameInText = /\b(?:signal|target|list|request)(?:\.\w+|\["[^"\n]*"\])+/g

/** They stay at their names until the next answer. */
export const partsOverlay = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (shown, transaction) => {
    for (const effect of transaction.effects) {
      if (effect.is(setReads)) return decorate(transaction.newDoc.toString(), effect.value)
    }
    return shown.map(transaction.changes)
  },
  provide: (field) => EditorView.decorations.from(field),
})

function decorate(text: string, reads: readonly ReadOfRule[]): DecorationSet {
  const marks = [...text.matchAll(nameInText)].flatMap(({ 0: written, index }) => {
    const name = nameOf(written)
    const read = reads.find((one) => name === one.name || name.startsWith(`${one.name}.`))
    if (!read) return []
    const end = index + written.length - (name.length - read.name.length)
    const title = read.arrived ? JSON.stringify(read.value) : 'missing'
    const kind = read.arrived ? 'cel-arrived' : 'cel-missing'
    return Decoration.mark({ class: kind, attributes: { title } }).range(index, end)
  })
  return Decoration.set(marks, true)
}

/** A key in brackets that is a word is the same name as behind a dot. */
function nameOf(written: string): string {
  return written.replaceAll(/\["(\w+)"\]/g, '.$1')
}
