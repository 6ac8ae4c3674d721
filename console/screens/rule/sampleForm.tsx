/** Asks for a value of each name that the rule reads; what is left empty is missing. */

import { useId, useState } from 'preact/hooks'
import { ApiFailure, ask } from '../../api/client.ts'
import type { RuleTestResult } from '../../api/schema.ts'
import { Failed } from '../../parts/states.tsx'
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
  const [failure, fail] = useState<ApiFailure>()
  const load = async () => {
    fail(undefined)
    try {
      const { value } = await ask('GET /v2/watch/evaluations/{evaluation_id}', {
        path: { evaluation_id: id.trim() },
      })
      if (Array.isArray(value.evidence)) onLoaded(toSample(value.evidence))
      else
        fail(new ApiFailure(410, { message: 'The evidence of this evaluation has been erased.' }))
    } catch (error) {
      fail(error as ApiFailure)
    }
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return
    event.preventDefault()
    void load()
  }
  return (
    <>
      <div class="joined">
        <label>
          From an evaluation
          <input
            value={id}
            placeholder="evl_…"
            onInput={(event) => setId(event.currentTarget.value)}
            onKeyDown={onKeyDown}
          />
        </label>
        <button type="button" disabled={id.trim() === ''} onClick={() => void load()}>
          Load
        </button>
        <button type="button" onClick={() => onLoaded({})}>
          Blank
        </button>
      </div>
      {failure && <Failed failure={failure} />}
    </>
  )
}
