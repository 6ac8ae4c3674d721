/** Loads a template, or begins a new one, and deletes it. */

import { useState } from 'preact/hooks'
import { go, linkTo } from '../../api/address.ts'
import { ask } from '../../api/client.ts'
import { forget, useAnswer } from '../../api/query.ts'
import { may, session } from '../../api/session.ts'
import { CopyId } from '../../parts/copyId.tsx'
import { FormDialog } from '../../parts/formDialog.tsx'
import { Failed, Loading } from '../../parts/states.tsx'
import type { ViewProps } from '../screen.ts'
import { Editing } from './editing.tsx'
import '../../parts/question.css'

const key = 'GET /v2/verification/management/templates/{template_id}'

export function TemplateScreen({ params: { id = '' } }: ViewProps) {
  const isNew = id === 'new'
  const path = { template_id: id }
  const loaded = useAnswer(key, { path }, { enabled: !isNew })
  const { value, failure, refetch } = loaded
  const { value: now } = session
  const draftName = `${'who' in now ? now.who.account_id : ''}:template:${id}`
  const [isDeleting, setDeleting] = useState(false)
  const remove = async () => {
    await ask('DELETE /v2/verification/management/templates/{template_id}', { path })
    go(linkTo('/verification'), 'replace')
    await forget('GET /v2/verification/management/templates')
  }
  return (
    <>
      <div class="head">
        <h1>{isNew ? 'New template' : <bdi>{value?.name ?? 'Template'}</bdi>}</h1>
        {value && <CopyId id={id} />}
        {value && may('manage') && (
          <button type="button" class="button" onClick={() => setDeleting(true)}>
            Delete the template
          </button>
        )}
      </div>
      {failure && <Failed failure={failure} retry={refetch} />}
      {!isNew && !value && !failure && <Loading lines={8} />}
      {(isNew || value) && <Editing key={id} draftName={draftName} loaded={loaded} />}
      {isDeleting && value && (
        <FormDialog
          title={`Delete ${value.name}?`}
          verb="Delete it"
          keep="Keep it"
          run={remove}
          onClose={() => setDeleting(false)}
        >
          <p>It cannot be undone: who asks for it is told that there is none.</p>
        </FormDialog>
      )}
    </>
  )
}
