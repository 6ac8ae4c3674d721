/** Edits a template and says what it means; what was typed stays, whatever somebody else saves meanwhile. */

import { useState } from 'preact/hooks'
import { go, linkTo } from '../../api/address.ts'
import { type ApiFailure, ask } from '../../api/client.ts'
import { dropDraft, readDraft, writeDraft } from '../../api/drafts.ts'
import { type Followed, forget } from '../../api/query.ts'
import type { Template } from '../../api/schema.ts'
import { may } from '../../api/session.ts'
import { Failed } from '../../parts/states.tsx'
import { describeTemplate, inputOf, kinds, numbers, type Texts, textsOf } from './templateForm.ts'

const base = '/v2/verification/management/templates'

interface EditingProps {
  readonly draftName: string
  /** Without a value, of a new one. */
  readonly loaded: Followed<Template>
}

export function Editing({ draftName, loaded: { value: saved, etag, refetch } }: EditingProps) {
  const before = textsOf(saved)
  const [typed, type] = useState<Partial<Texts>>(readDraft(draftName) ?? {})
  const [failure, fail] = useState<ApiFailure>()
  const isRestored = Object.keys(typed).length > 0
  const [said, say] = useState(isRestored ? 'Your unsaved changes of before are back.' : '')
  const texts = { ...before, ...typed }
  const change = (changed: Partial<Texts>) => {
    type({ ...typed, ...changed })
    writeDraft(draftName, { ...typed, ...changed })
  }
  const save = async () => {
    fail(undefined)
    say('')
    try {
      if (saved) {
        const asked = { path: { template_id: saved.id }, ...(etag && { ifMatch: etag }) }
        await ask(`PATCH ${base}/{template_id}`, { ...asked, body: inputOf(typed) })
        await forget(`GET ${base}`, `GET ${base}/{template_id}`)
        dropDraft(draftName)
        type({})
        say('Saved.')
      } else {
        const { value } = await ask(`POST ${base}`, { body: inputOf(texts) })
        dropDraft(draftName)
        await forget(`GET ${base}`)
        go(linkTo(`/verification/templates/${value.id}`), 'replace')
      }
    } catch (error) {
      const refused = error as ApiFailure
      if (refused.status !== 412) return fail(refused)
      refetch()
      say('Somebody else changed it meanwhile: theirs stands here now, with yours over it. Save?')
    }
  }
  const submit = (event: Event) => {
    event.preventDefault()
    void save()
  }
  return (
    <form class="card" aria-label="Template" onSubmit={submit}>
      <Fields texts={texts} onChange={change} />
      <p class="soft">{describeTemplate(texts)}</p>
      {may('manage') && (
        <div class="actions">
          <button type="submit" class="primary" disabled={Object.keys(typed).length === 0}>
            {saved ? 'Save' : 'Make the template'}
          </button>
          <span role="status" class="soft">
            {said}
          </span>
        </div>
      )}
      {failure && <Failed failure={failure} />}
    </form>
  )
}

interface FieldsProps {
  readonly texts: Texts
  readonly onChange: (changed: Partial<Texts>) => void
}

function Fields({ texts, onChange }: FieldsProps) {
  const isReadOnly = !may('manage')
  const bind = (field: keyof Texts) => ({
    value: texts[field],
    disabled: isReadOnly,
    onInput: ({ currentTarget: { value } }: { currentTarget: { value: string } }) =>
      onChange({ [field]: value }),
  })
  return (
    <>
      <div class="question">
        <label class="wide">
          Name
          <input {...bind('name')} required maxLength={128} />
        </label>
        <label>
          For
          <select {...bind('kind')}>
            {kinds.map((kind) => (
              <option key={kind}>{kind}</option>
            ))}
          </select>
        </label>
        <label>
          Messages end with
          <input {...bind('suffix')} maxLength={40} placeholder="nothing" />
        </label>
      </div>
      <div class="question">
        {numbers.map(([field, words, usual, min, max]) => (
          <label key={field}>
            {words}
            <input {...bind(field)} type="number" min={min} max={max} placeholder={`${usual}`} />
          </label>
        ))}
      </div>
    </>
  )
}
