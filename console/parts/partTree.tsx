/** Shows the value of every part of a rule, what is missing dotted. */

import { useMemo } from 'preact/hooks'
import type { ExpressionPart } from '../api/schema.ts'
import { Value } from './values.tsx'

const words = { missing: 'missing', failed: 'failed', not_evaluated: 'not evaluated' } as const

export function PartTree({
  parts,
  isOld = false,
}: {
  readonly parts: ExpressionPart
  readonly isOld?: boolean
}) {
  // what did not change is not rendered again while one writes
  const tree = useMemo(() => <Part part={parts} />, [parts])
  return (
    <ul class={`parts ${isOld ? 'old' : ''}`} aria-label="Value of every part">
      {tree}
    </ul>
  )
}

function Part({ part }: { readonly part: ExpressionPart }) {
  const { text, state, value, problem, needed } = part
  // what is written out has no other value
  const parts = part.parts?.filter((one) => !isLiteral(one)) ?? []
  return (
    <li class={needed === false ? 'unneeded' : ''}>
      <span class={`part ${state}`}>
        <code>{text}</code>
        <span class="equals" aria-hidden="true" />
        {state === 'value' ? <Value of={value} /> : <span class="state">{words[state]}</span>}
        {needed === false && <span class="soft">not needed</span>}
      </span>
      {problem !== undefined && <p class="mistake">{problem}</p>}
      {parts.length > 0 && (
        <ul>
          {parts.map((one, index) => (
            <Part key={index} part={one} />
          ))}
        </ul>
      )}
    </li>
  )
}

function isLiteral({ text, value, parts = [] }: ExpressionPart): boolean {
  const isNumber = typeof value === 'number' && Number(text) === value
  return text === JSON.stringify(value) || isNumber || (parts.length > 0 && parts.every(isLiteral))
}
