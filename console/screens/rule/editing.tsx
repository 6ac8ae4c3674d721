/** Edits a rule: its text, a sample beside it, what it would have done, and the save. */

import { useEffect, useState } from 'preact/hooks'
import { go, linkTo } from '../../api/address.ts'
import { dropDraft, writeDraft } from '../../api/drafts.ts'
import { may } from '../../api/session.ts'
import { CopyId } from '../../parts/copyId.tsx'
import { PartTree } from '../../parts/partTree.tsx'
import { Conflict } from './conflict.tsx'
import { Impact } from './impact.tsx'
import { RuleCard } from './ruleCard.tsx'
import { type Draft, draftOf, type Sample, type Saved } from './ruleDraft.ts'
import { SampleForm } from './sampleForm.tsx'
import { type Check, useCheck } from './useCheck.ts'
import { useSave } from './useSave.ts'

interface EditingProps {
  /** Undefined of a new rule. */
  readonly id: string | undefined
  readonly saved: Saved | undefined
  readonly initial: Draft
  readonly isRestored: boolean
  readonly draftName: string
  readonly onSaved: () => void
}

export function Editing({ id, saved, initial, isRestored, draftName, onSaved }: EditingProps) {
  const [draft, setDraft] = useState<Draft>(initial)
  // of the editor: another text is another editor
  const [round, next] = useState(0)
  const replace = (other: Saved) => {
    setDraft(draftOf(other))
    next((count) => count + 1)
  }
  const [sample, setSample] = useState<Sample>({})
  const isChanged = useKeptDraft(draftName, draft, saved)
  const check = useCheck(may('author') ? draft.expression : '', sample)
  const saving = useSave(
    {
      id,
      onSaved: (rule, etag) => {
        dropDraft(draftName)
        // what was written meanwhile stays
        setDraft((now) => ({ ...now, etag }))
        if (id === undefined) go(linkTo(`/rules/${rule.id}`), 'replace')
        else onSaved()
      },
    },
    isRestored ? 'Your unsaved text of before is back.' : '',
  )
  const submit = (event: Event) => {
    event.preventDefault()
    void saving.save(draft, draft.etag)
  }
  return (
    <form onSubmit={submit} class="rule">
      <div class="head">
        <h1>{saved ? <bdi>{saved.rule.name}</bdi> : 'New rule'}</h1>
        {id && <CopyId id={id} />}
      </div>
      <div class="rule-grid">
        <RuleCard
          {...{ draft, setDraft, check, saving, isChanged }}
          round={round}
          onDiscard={saved && (() => replace(saved))}
        />
        {may('author') && <SampleCard check={check} sample={sample} onChange={setSample} />}
      </div>
      {may('author') && may('analyse') && (
        <Impact
          expression={draft.expression}
          saved={saved?.rule.expression}
          isRight={check.text === draft.expression}
        />
      )}
      {saving.isConflict && id && (
        <Conflict
          id={id}
          mine={draft}
          onKeep={(etag) => void saving.save(draft, etag)}
          onTheirs={(theirs) => {
            replace(theirs)
            saving.endConflict()
            onSaved()
          }}
          onClose={saving.endConflict}
        />
      )}
    </form>
  )
}

/** Keeps what differs from the saved rule in this tab. Answers whether something does. */
function useKeptDraft(name: string, draft: Draft, saved: Saved | undefined): boolean {
  const isChanged =
    draft.name.trim() !== (saved?.rule.name ?? '') ||
    draft.expression !== (saved?.rule.expression ?? '')
  useEffect(() => {
    if (isChanged) writeDraft(name, draft)
    else dropDraft(name)
  }, [isChanged, draft, name])
  return isChanged
}

interface SampleCardProps {
  readonly check: Check
  readonly sample: Sample
  readonly onChange: (sample: Sample) => void
}

function SampleCard({ check: { state, result }, sample, onChange }: SampleCardProps) {
  return (
    <section class="card" aria-labelledby="sample-title">
      <h2 id="sample-title">Try it on a sample</h2>
      <SampleForm reads={result?.reads ?? []} sample={sample} onChange={onChange} />
      {result && <PartTree parts={result.parts} isOld={state !== 'right'} />}
    </section>
  )
}
