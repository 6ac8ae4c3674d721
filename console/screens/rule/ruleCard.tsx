/** Holds the name and the text of a rule, what the check says of it, and what can be done with it. */

import type { RuleInput } from '../../api/schema.ts'
import { may } from '../../api/session.ts'
import { EditActions, NameField } from '../../parts/editActions.tsx'
import type { Editing } from '../../parts/useEditing.ts'
import { CheckLine } from './checkLine.tsx'
import { RuleText } from './ruleText.tsx'
import type { Check } from './useCheck.ts'

interface RuleCardProps {
  readonly editing: Editing<RuleInput>
  readonly check: Check
  readonly isRight: boolean
}

export function RuleCard({ editing, check, isRight }: RuleCardProps) {
  const { content, change, round } = editing
  return (
    <section class="card" aria-label="Rule">
      <NameField of={editing} />
      <span class="label">Condition</span>
      <RuleText
        key={round}
        text={content.expression}
        check={check}
        isReadOnly={!may('author')}
        onChange={(expression) => change({ expression })}
      />
      {may('author') && <CheckLine check={check} />}
      <EditActions of={editing} isRight={isRight && content.name.trim() !== ''} />
    </section>
  )
}
