/** Shows the evaluation under review, and takes the answer: one a press, of what is shown. */

import { useEffect, useRef, useState } from 'preact/hooks'
import { linkTo } from '../../api/address.ts'
import { ask } from '../../api/client.ts'
import { dropDraft, readDraft, writeDraft } from '../../api/drafts.ts'
import { useAnswer } from '../../api/query.ts'
import type { Evaluation } from '../../api/schema.ts'
import { session } from '../../api/session.ts'
import { CopyId } from '../../parts/copyId.tsx'
import { Evidence } from '../../parts/evidence.tsx'
import { Moment } from '../../parts/moment.tsx'
import { OutcomeMark } from '../../parts/outcome.tsx'
import { RecipeResult } from '../../parts/recipeResult.tsx'
import { Failed, Loading } from '../../parts/states.tsx'
import '../../parts/evaluation.css'
import { type ClaimState, useClaim } from './useClaim.ts'

interface ReviewProps {
  readonly searchId: string
  readonly id: string
  readonly mayAnswer: boolean
  readonly onAnswered: (answer: string) => void
}

const answers = [
  { answer: 'fraud', key: 'f', title: 'Fraud' },
  { answer: 'legitimate', key: 'l', title: 'Legitimate' },
  { answer: 'unsure', key: 'u', title: 'Unsure' },
] as const

export function Review({ searchId, id, mayAnswer, onAnswered }: ReviewProps) {
  const shown = useAnswer('GET /v2/watch/evaluations/{evaluation_id}', {
    path: { evaluation_id: id },
    query: { explain: 'expressions' },
  })
  const queue = useAnswer('GET /v2/watch/management/searches/{search_id}/review', {
    path: { search_id: searchId },
  })
  const { value: who } = session
  const own = queue.value?.waiting.find(({ evaluation_id }) => evaluation_id === id)?.claim
  const isOwn = own !== undefined && 'who' in who && own.by === who.who.token_id
  const claim = useClaim({ searchId, id, knownUntil: isOwn ? own.until : undefined })
  const { value, failure, refetch } = shown
  if (failure) return <Failed failure={failure} retry={refetch} />
  if (!value || (!queue.value && !queue.failure)) return <Loading lines={10} />
  return (
    <div class="beside review">
      <div>
        <Head of={value} />
        {Array.isArray(value.explanation) ? (
          value.explanation.map((recipe) => <RecipeResult key={recipe.recipe_id} recipe={recipe} />)
        ) : (
          <p class="warning">
            The person this is about has been erased: there is nothing to judge.
          </p>
        )}
        <Evidence evidence={value.evidence} notCounted={value.not_counted} />
      </div>
      {mayAnswer && (
        <Answer
          searchId={searchId}
          id={value.id}
          claim={claim}
          holder={own && !isOwn ? (own.name ?? own.by) : undefined}
          onAnswered={onAnswered}
        />
      )}
    </div>
  )
}

function Head({ of: value }: { readonly of: Evaluation }) {
  return (
    <div class={`verdict ${value.verdict === 'FLAG' ? 'is-flag' : 'is-pass'}`}>
      <div>
        <h2>
          <OutcomeMark of={value.verdict} />
        </h2>
        <p>
          <bdi>{value.flow_name ?? value.flow_id}</bdi> · <Moment at={value.evaluated_at} />
        </p>
        <p class="marks">
          <CopyId id={value.id} /> <a href={linkTo(`/evaluations/${value.id}`)}>Open it whole</a>
        </p>
      </div>
    </div>
  )
}

interface AnswerProps {
  readonly searchId: string
  /** Of what is shown. */
  readonly id: string
  readonly claim: ClaimState
  /** Who else has it. */
  readonly holder: string | undefined
  readonly onAnswered: (answer: string) => void
}

function Answer({ searchId, id, claim, holder, onAnswered }: AnswerProps) {
  const draft = `review ${id}`
  const [note, write] = useState(readDraft<{ readonly note: string }>(draft)?.note ?? '')
  const [failure, fail] = useState<Error>()
  const [isBusy, setBusy] = useState(false)
  const isSent = useRef(false)
  const { leftMs } = claim
  const isHeld = leftMs !== undefined && leftMs > 0
  const answer = async (said: (typeof answers)[number]['answer']) => {
    // a second press, or a key that is held down, answers nothing
    if (isSent.current || !isHeld) return
    isSent.current = true
    setBusy(true)
    fail(undefined)
    try {
      await ask('POST /v2/watch/management/searches/{search_id}/review/answer', {
        path: { search_id: searchId },
        body: { evaluation_id: id, answer: said, ...(note.trim() !== '' && { note }) },
      })
      dropDraft(draft)
      onAnswered(said)
    } catch (error) {
      fail(error as Error)
      isSent.current = false
      setBusy(false)
    }
  }
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const isTyping =
        event.target instanceof Element && event.target.closest('textarea, input, select, dialog')
      if (isTyping || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return
      const found = answers.find(({ key }) => key === event.key.toLowerCase())
      if (found) void answer(found.answer)
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  })
  return (
    <section class="card answer" aria-labelledby="answer-title">
      <div class="card-head">
        <h2 id="answer-title">Your word</h2>
        <TimeLeft leftMs={leftMs} />
      </div>
      <Taking claim={claim} holder={holder} />
      <label>
        Note <span class="soft">(sealed, and erased with the person)</span>
        <textarea
          rows={3}
          maxLength={1_000}
          value={note}
          onInput={({ currentTarget: { value } }) => {
            write(value)
            writeDraft(draft, { note: value })
          }}
        />
      </label>
      {failure && <Failed failure={failure} />}
      <div class="answers">
        {answers.map(({ answer: said, key, title }) => (
          <button
            key={said}
            type="button"
            class={said}
            disabled={!isHeld || isBusy}
            aria-keyshortcuts={key.toUpperCase()}
            onClick={() => void answer(said)}
          >
            {title} <kbd>{key.toUpperCase()}</kbd>
          </button>
        ))}
      </div>
    </section>
  )
}

/** What must be done before one can answer. */
function Taking({ claim, holder }: Pick<AnswerProps, 'claim' | 'holder'>) {
  const { leftMs, failure, take } = claim
  const isOver = leftMs === 0
  if (leftMs !== undefined && leftMs > 0 && !failure) return null
  return (
    <div class="taking">
      {isOver && (
        <p class="warning" role="alert">
          Your time ran out, and others may take it. Your note is kept.
        </p>
      )}
      {leftMs === undefined && (
        <p>
          {holder === undefined ? (
            'Only looking at it keeps nobody else from it.'
          ) : (
            <>
              Taken by <bdi>{holder}</bdi>.
            </>
          )}
        </p>
      )}
      {failure && <Failed failure={failure} />}
      <button type="button" class="primary" onClick={() => void take()}>
        {isOver ? 'Take it again' : 'Take it'}
      </button>
    </div>
  )
}

function TimeLeft({ leftMs }: Pick<ClaimState, 'leftMs'>) {
  if (leftMs === undefined || leftMs === 0) return null
  const seconds = Math.ceil(leftMs / 1_000)
  const text = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
  return (
    <span class={`badge number ${seconds < 120 ? 'odd' : ''}`} role="timer">
      {text} left
    </span>
  )
}
