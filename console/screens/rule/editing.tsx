/** Edits a rule: text with its mistakes, a sample beside it, what it would do, and the save. */

import { useEffect, useState } from 'preact/hooks'
import { go, linkTo } from '../../api/address.ts'
import { type ApiFailure, ask } from '../../api/client.ts'
import { dropDraft, writeDraft } from '../../api/drafts.ts'
import { forget } from '../../api/query.ts'
import { may } from '../../api/session.ts'
import { CopyId } from '../../parts/copyId.tsx'
import { OutcomeMark } from '../../parts/outcome.tsx'
import { PartTree } from '../../parts/partTree.tsx'
import { Failed } from '../../parts/states.tsx'
import { Conflict } from './conflict.tsx'
import { Impact } from './impact.tsx'
import type { Draft, Sample, Saved } from './ruleDraft.ts'
import { RuleText } from './ruleText.tsx'
import { SampleForm } from './sampleForm.tsx'
import { type Check, useCheck } from './useCheck.ts'

interface EditingProps {
  /** Undefined of a new rule. */
  readonly id: string | undefined
  readonly saved: Saved | undefined
  readonly initial: Draft
  readonly baseEtag: string | undefined
  readonly isRestored: boolean
  readonly draftName: string
  readonly onSaved: () => void
}

export function Editing({
  id,
  saved,
  initial,
  baseEtag,
  isRestored,
  draftName,
  onSaved,
}: EditingProps) {
  const [draft, setDraft] = useState<Draft>({ ...initial, etag: baseEtag })
  const [sample, setSample] = useState<Sample>({})
  const [failure, fail] = useState<ApiFailure>()
  const [isConflict, setConflict] = useState(false)
  const [said, say] = useState(isRestored ? 'Your unsaved text of before is back.' : '')
  const isChanged =
    draft.name !== (saved?.rule.name ?? '') || draft.expression !== (saved?.rule.expression ?? '')
  const isWritable = may('author')
  const check = useCheck(isWritable ? draft.expression : '', sample)

  useEffect(() => {
    if (isChanged) writeDraft(draftName, draft)
    else dropDraft(draftName)
  }, [isChanged, draft, draftName])

  const save = async (etag: string | undefined) => {
    fail(undefined)
    say('')
    const body = { name: draft.name.trim(), expression: draft.expression }
    try {
      const { value, etag: now } = id
        ? await ask('PUT /v2/watch/management/rules/{id}', {
            path: { id },
            body,
            ...(etag && { ifMatch: etag }),
          })
        : await ask('POST /v2/watch/management/rules', { body })
      dropDraft(draftName)
      setConflict(false)
      setDraft({ ...draft, name: value.name, etag: now })
      await forget('GET /v2/watch/management/rules', 'GET /v2/watch/management/rules/{id}/versions')
      if (id) onSaved()
      else go(linkTo(`/rules/${value.id}`), 'replace')
      say('Saved as a new version.')
    } catch (error) {
      const refused = error as ApiFailure
      if (refused.status === 412) setConflict(true)
      else fail(refused)
    }
  }
  const submit = (event: Event) => {
    event.preventDefault()
    void save(draft.etag)
  }
  return (
    <form onSubmit={submit} class="rule">
      <div class="head">
        <h1>{saved ? <bdi>{saved.rule.name}</bdi> : 'New rule'}</h1>
        {id && <CopyId id={id} />}
      </div>
      <div class="rule-grid">
        <section class="card" aria-label="Rule">
          <label>
            Name
            <input
              value={draft.name}
              required
              maxLength={128}
              readOnly={!isWritable}
              onInput={(event) => setDraft({ ...draft, name: event.currentTarget.value })}
            />
          </label>
          <span class="label">Condition</span>
          <RuleText
            text={draft.expression}
            check={check}
            isReadOnly={!isWritable}
            onChange={(expression) => setDraft((now) => ({ ...now, expression }))}
          />
          {isWritable && <CheckLine check={check} />}
          {isWritable && (
            <div class="actions">
              <button
                type="submit"
                class="primary"
                disabled={!isChanged || check.state !== 'right' || draft.name.trim() === ''}
              >
                Save
              </button>
              {isChanged && saved && (
                <button
                  type="button"
                  onClick={() =>
                    setDraft({
                      name: saved.rule.name,
                      expression: saved.rule.expression,
                      etag: saved.etag,
                    })
                  }
                >
                  Discard changes
                </button>
              )}
              <span role="status" class="soft">
                {said}
              </span>
            </div>
          )}
          {failure && <Failed failure={failure} />}
        </section>
        {isWritable && (
          <section class="card" aria-labelledby="sample-title">
            <h2 id="sample-title">Try it on a sample</h2>
            <SampleForm reads={check.result?.reads ?? []} sample={sample} onChange={setSample} />
            {check.result && (
              <PartTree parts={check.result.parts} isOld={check.state !== 'right'} />
            )}
          </section>
        )}
      </div>
      {may('author') && may('analyse') && (
        <Impact
          expression={draft.expression}
          saved={saved?.rule.expression}
          isRight={check.state === 'right'}
        />
      )}
      {isConflict && id && (
        <Conflict
          id={id}
          mine={draft}
          onKeep={(etag) => void save(etag)}
          onTheirs={(theirs) => {
            setDraft({
              name: theirs.rule.name,
              expression: theirs.rule.expression,
              etag: theirs.etag,
            })
            setConflict(false)
            onSaved()
          }}
          onClose={() => setConflict(false)}
        />
      )}
    </form>
  )
}

function CheckLine({ check: { state, result, failure } }: { readonly check: Check }) {
  const mistakes = state === 'wrong' ? (failure?.details ?? []) : []
  return (
    <div class="check" role="status" data-state={state}>
      {state === 'blank' && (
        <span class="soft">Write a condition, such as signal.ext.cart_total == "900"</span>
      )}
      {state === 'checking' && <span class="soft">Checking…</span>}
      {state === 'right' && result && (
        <>
          <OutcomeMark of={result.outcome} /> <span class="soft">on the sample</span>
          {result.blocked_by !== undefined && (
            <span>
              needs <code>{result.blocked_by}</code>
            </span>
          )}
          {result.warnings?.map(({ message }) => (
            <p key={message} class="warning">
              {message}
            </p>
          ))}
        </>
      )}
      {mistakes.map(({ message, line, column }) => (
        <p key={message} class="mistake">
          {line !== undefined && (
            <span class="soft">
              {line}:{column}{' '}
            </span>
          )}
          {message.replace(/^The expression does not compile: ERROR: <input>:\d+:\d+: /, '')}
        </p>
      ))}
      {state === 'failed' && failure && (
        <p class="mistake">{failure.details[0]?.message ?? failure.message}</p>
      )}
    </div>
  )
}
