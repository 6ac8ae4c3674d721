/** Edits a rule: its text, a sample beside it, what it would have done, and the save. */

import { useEffect, useState } from 'preact/hooks'
import { linkTo } from '../../api/address.ts'
import type { Followed } from '../../api/query.ts'
import type { Rule, RuleInput } from '../../api/schema.ts'
import { may } from '../../api/session.ts'
import { ConflictDialog } from '../../parts/conflictDialog.tsx'
import { CopyId } from '../../parts/copyId.tsx'
import { PartTree } from '../../parts/partTree.tsx'
import { useEditing } from '../../parts/useEditing.ts'
import { Impact } from './impact.tsx'
import { RuleCard } from './ruleCard.tsx'
import type { Sample } from './ruleDraft.ts'
import { SampleForm } from './sampleForm.tsx'
import { type Check, useCheck } from './useCheck.ts'

const blank: RuleInput = { name: '', expression: '' }

export function Editing({ loaded }: { readonly loaded: Followed<Rule> }) {
  const editing = useEditing<RuleInput>({ kind: 'rules', loaded, blank })
  const [sample, setSample] = useState<Sample>({})
  const { expression } = editing.content
  const check = useCheck(may('author') ? expression : '', sample)
  const isRight = check.text === expression
  const saved = loaded.value
  return (
    <form onSubmit={editing.save} class="rule">
      <div class="head">
        <h1>{saved ? <bdi>{saved.name}</bdi> : 'New rule'}</h1>
        {saved && <CopyId id={saved.id} />}
        {saved && <a href={linkTo(`/versions/rules/${saved.id}`)}>Versions</a>}
      </div>
      <div class="beside rule-grid">
        <RuleCard editing={editing} check={check} isRight={isRight} />
        {may('author') && <SampleCard check={check} sample={sample} onChange={setSample} />}
      </div>
      {may('author') && may('analyse') && (
        <Impact expression={expression} saved={saved?.expression} isRight={isRight} />
      )}
      {editing.conflict && <ConflictDialog {...editing.conflict} />}
    </form>
  )
}

/** The value once all else was painted: a tree of many parts does not hold up what is said of the text. */
function useAfterPaint<Value>(value: Value): Value {
  const [shown, show] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => show(value))
    return () => clearTimeout(timer)
  }, [value])
  return shown
}

interface SampleCardProps {
  readonly check: Check
  readonly sample: Sample
  readonly onChange: (sample: Sample) => void
}

function SampleCard({ check: { state, result }, sample, onChange }: SampleCardProps) {
  const parts = useAfterPaint(result?.parts)
  return (
    <section class="card" aria-labelledby="sample-title">
      <h2 id="sample-title">Try it on a sample</h2>
      <SampleForm reads={result?.reads ?? []} sample={sample} onChange={onChange} />
      {parts && <PartTree parts={parts} isOld={state !== 'right'} />}
    </section>
  )
}
