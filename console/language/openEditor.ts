/** Opens an editor for a rule in a shadow root, where its styles keep to the policy of the page. */

import { autocompletion, completionKeymap } from '@codemirror/autocomplete'
import { history, historyKeymap, standardKeymap } from '@codemirror/commands'
import { EditorState } from '@codemirror/state'
import { drawSelection, EditorView, keymap } from '@codemirror/view'
import { celTokens, completeFrom, type ReadableName } from './celTokens.ts'
import { type Mistake, mistakes, setMistakes } from './diagnostics.ts'
import { partsOverlay, type ReadOfRule, setReads } from './partsOverlay.ts'

export interface RuleEditor {
  /** What was found in the text as it is now. */
  readonly show: (mistakes: readonly Mistake[], reads: readonly ReadOfRule[]) => void
  readonly destroy: () => void
}

interface EditorOptions {
  readonly text: string
  readonly label: string
  readonly isReadOnly: boolean
  readonly names: () => readonly ReadableName[]
  readonly onChange: (text: string) => void
}

/** Tab moves the focus on, as everywhere: nobody is caught in the editor. */
export function openEditor(host: HTMLElement, options: EditorOptions): RuleEditor {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' })
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: options.text,
      extensions: [
        history(),
        drawSelection(),
        keymap.of([...completionKeymap, ...standardKeymap, ...historyKeymap]),
        autocompletion({ override: [completeFrom(options.names)], icons: false }),
        celTokens,
        partsOverlay,
        mistakes,
        theme,
        EditorView.lineWrapping,
        EditorState.readOnly.of(options.isReadOnly),
        EditorView.contentAttributes.of({ 'aria-label': options.label, spellcheck: 'false' }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) options.onChange(update.state.doc.toString())
        }),
      ],
    }),
  })
  return {
    show: (found, reads) => view.dispatch({ effects: [setMistakes.of(found), setReads.of(reads)] }),
    destroy: () => view.destroy(),
  }
}

/** By the properties of the page, so that it follows the theme. */
const theme = EditorView.theme({
  '&': {
    color: 'var(--ink)',
    backgroundColor: 'var(--surface)',
    fontSize: '15px',
    borderRadius: '9px',
  },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.7', minHeight: '7.5em' },
  '.cm-content': { padding: '12px 0', caretColor: 'var(--ink)' },
  '.cm-line': { padding: '0 14px' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground':
    {
      background: 'var(--selection)',
    },
  '.cel-string': { color: 'var(--code-string)' },
  '.cel-number': { color: 'var(--code-number)' },
  '.cel-keyword': { color: 'var(--code-keyword)', fontWeight: '600' },
  '.cel-name': { color: 'var(--code-name)' },
  '.cel-function': { color: 'var(--code-function)' },
  '.cel-operator': { color: 'var(--soft)' },
  '.cel-arrived': { borderBottom: '2px solid var(--pass)' },
  '.cel-missing': { borderBottom: '3px dotted var(--unknown)' },
  '.cel-mistake': {
    textDecoration: 'underline wavy var(--flag)',
    textDecorationSkipInk: 'none',
  },
  '.cm-tooltip': {
    color: 'var(--ink)',
    backgroundColor: 'var(--surface)',
    border: '1px solid var(--line)',
    borderRadius: '8px',
    boxShadow: 'var(--shadow)',
    overflow: 'hidden',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)', maxHeight: '16em' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '4px 10px' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    color: 'var(--accent-ink)',
    background: 'var(--accent)',
  },
  '.cm-completionDetail': { opacity: '0.75', fontStyle: 'normal', marginLeft: '1em' },
  '.cm-completionInfo': { padding: '8px 10px', maxWidth: '20em', fontFamily: 'var(--sans)' },
})
