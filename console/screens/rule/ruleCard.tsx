/** Holds the name and the text of a rule, what the check says of it, and what can be done with it. */

import { may } from '../../api/session.ts'
import { Failed } from '../../parts/states.tsx'
import { CheckLine } from './checkLine.tsx'
import type { Draft } from './ruleDraft.ts'
import { RuleText } from './ruleText.tsx'
import type { Check } from './useCheck.ts'
import type { Saving } from './useSave.ts'

interface RuleCardProps {
  readonly draft: Draft
  readonly setDraft: (change: (now: Draft) => Draft) => void
  readonly check: Check
  readonly saving: Saving
  readonly isChanged: boolean
  /** Counts the texts that were put in the place of what was written. */
  readonly round: number
  /** Absent of a new rule. */
  readonly onDiscard: (() => void) | undefined
}

export function RuleCard(props: RuleCardProps) {
  const { draft, setDraft, check, saving, isChanged, round, onDiscard } = props
  const isReadOnly = !may('author')
  const isRight = check.text === draft.expression && draft.name.trim() !== ''
  return (
    <section class="card" aria-label="Rule">
      <label>
        Name
        <input
          value={draft.name}
          required
          maxLength={128}
          readOnly={isReadOnly}
          onInput={({ currentTarget: { value: name } }) => setDraft((now) => ({ ...now, name }))}
        />
      </label>
      <span class="label">Condition</span>
      <RuleText
        key={round}
        text={draft.expression}
        check={check}
        isReadOnly={isReadOnly}
        onChange={(expression) => setDraft((now) => ({ ...now, expression }))}
      />
      {!isReadOnly && (
        <>
          <CheckLine check={check} />
          <div class="actions">
            <button type="submit" class="primary" disabled={!isChanged || !isRight}>
              Save
            </button>
            {isChanged && onDiscard && (
              <button type="button" onClick={onDiscard}>
                Discard changes
              </button>
            )}
            <span role="status" class="soft">
              {saving.said}
            </span>
          </div>
        </>
      )}
      {saving.failure && <Failed failure={saving.failure} />}
    </section>
  )
}
