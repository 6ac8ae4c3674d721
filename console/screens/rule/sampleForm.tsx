/** Asks for a value of each name that the rule reads; what is left empty is missing. */

import { useState } from 'preact/hooks'
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
          <label key={name}>
            <code>{name}</code>
            {isFlag(name) ? (
              <select
                value={sample[name] ?? ''}
                onChange={(event) => onChange({ ...sample, [name]: event.currentTarget.value })}
              >
                <option value="">{name.startsWith('list.') ? 'false' : 'missing'}</option>
                <option value="true">true</option>
                {!name.startsWith('list.') && <option value="false">false</option>}
              </select>
            ) : (
              <input
                value={sample[name] ?? ''}
                placeholder={name === 'request.time' ? 'now' : 'missing'}
                onInput={(event) => onChange({ ...sample, [name]: event.currentTarget.value })}
              />
            )}
          </label>
        ))}
      </div>
    </>
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
