/** Holds the editor of the text, and gives it what the check has found. */

import { useLayoutEffect, useRef } from 'preact/hooks'
import { useAnswer } from '../../api/query.ts'
import type { ReadableName } from '../../language/celTokens.ts'
import { openEditor, type RuleEditor } from '../../language/openEditor.ts'
import type { Check } from './useCheck.ts'

interface RuleTextProps {
  /** What it opens with: from then on the text is the editor's own, so that no key press is undone by an older one. */
  readonly text: string
  readonly check: Check
  readonly isReadOnly: boolean
  readonly onChange: (text: string) => void
}

export function RuleText({ text, check, isReadOnly, onChange }: RuleTextProps) {
  const host = useRef<HTMLDivElement>(null)
  const editor = useRef<RuleEditor>(null)
  const names = useRef<readonly ReadableName[]>([])
  const change = useRef(onChange)
  change.current = onChange
  const { value } = useAnswer('GET /v2/watch/management/signals', {})
  names.current = value?.signals ?? []

  useLayoutEffect(() => {
    if (!host.current) return
    const opened = openEditor(host.current, {
      text,
      label: 'Condition',
      isReadOnly,
      names: () => names.current,
      onChange: (now) => change.current(now),
    })
    editor.current = opened
    return () => opened.destroy()
  }, [])
  // painted with what is said below the text, not a frame later
  useLayoutEffect(() => {
    const { state, failure, result } = check
    if (state === 'checking') return
    const mistakes = state === 'wrong' ? failure?.details : undefined
    editor.current?.show(mistakes ?? [], (state === 'right' && result?.reads) || [])
  }, [check])
  return <div ref={host} class="editor" />
}
