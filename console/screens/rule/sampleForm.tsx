/** Asks for a value of each name that the rule reads; what is left empty is missing. */

import { useId, useState } from 'preact/hooks'
import { ask } from '../../api/client.ts'
import type { RuleTestResult } from '../../api/schema.ts'
import { TextField } from '../../parts/fields.tsx'
import { Failed } from '../../parts/states.tsx'
import { useWork } from '../../parts/useWork.ts'
import { isFlag, type Sample, toSample } from './ruleDraft.ts'

interface SampleProps {
  readonly reads: RuleTestResult['reads']
  readonly sample: Sample
  readonly onChange: (sample: Sample) => void
}

export function SampleForm({ reads, sample, onChange }: SampleProps) {
  const names = [...new Set(reads.map(({ name }) => name))]
    .filter((name) => !name.includes('('))
    .toSorted()
  return (
    <>
      <FromEvaluation onLoaded={onChange} />
      {names.length === 0 && (
        <p class="soft">
          The names that the rule reads appear here, each with a field for its value.
        </p>
      )}
      <div class="sample">
        {names.map((name) => (
          <NameField
            key={name}
            name={name}
            value={sample[name] ?? ''}
            onChange={(value) => onChange({ ...sample, [name]: value })}
          />
        ))}
      </div>
    </>
  )
}

interface NameFieldProps {
  readonly name: string
  readonly value: string
  readonly onChange: (value: string) => void
}

function NameField({ name, value, onChange }: NameFieldProps) {
  const id = useId()
  const isList = name.startsWith('list.')
  return (
    <div class="name-field">
      <label htmlFor={id}>
        <code>{name}</code>
      </label>
      {isFlag(name) ? (
        <select id={id} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
          <option value="">{isList ? 'false' : 'missing'}</option>
          <option value="true">true</option>
          {!isList && <option value="false">false</option>}
        </select>
      ) : (
        <input
          id={id}
          value={value}
          placeholder={name === 'request.time' ? 'now' : 'missing'}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      )}
    </div>
  )
}

function FromEvaluation({ onLoaded }: { readonly onLoaded: (sample: Sample) => void }) {
  const [id, setId] = useState('')
  const { failure, run } = useWork()
  const load = async () => {
    const path = { evaluation_id: id.trim() }
    const { evidence } = (await ask('GET /v2/watch/evaluations/{evaluation_id}', { path })).value
    if (!Array.isArray(evidence))
      throw new Error('The evidence of this evaluation has been erased.')
    onLoaded(toSample(evidence))
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return
    event.preventDefault()
    run(load)
  }
  return (
    <>
      <div class="joined">
        <TextField
          label="From an evaluation"
          value={id}
          placeholder="evl_…"
          onChange={setId}
          onKeyDown={onKeyDown}
        />
        <button type="button" disabled={id.trim() === ''} onClick={() => run(load)}>
          Load
        </button>
        <button type="button" onClick={() => onLoaded({})}>
          Clear
        </button>
      </div>
      {failure && <Failed failure={failure} />}
    </>
  )
}
