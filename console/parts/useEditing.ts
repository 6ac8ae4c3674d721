/** Edits a rule, a recipe or a flow: keeps in this tab what is not saved, and saves it over what it was opened from. */

import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { go, linkTo } from '../api/address.ts'
import { type ApiFailure, ask } from '../api/client.ts'
import { dropDraft, readDraft, writeDraft } from '../api/drafts.ts'
import { type Followed, forget } from '../api/query.ts'
import { session } from '../api/session.ts'
import { type Content, contentOf, describeContent, type Kind } from './describeContent.ts'

/** What is in work; `etag` is that of the version it was opened from. */
export interface Draft<Input> {
  readonly content: Input
  readonly etag?: string | undefined
}

interface EditingOptions<Input> {
  readonly kind: Kind
  /** Without a value, of a new one. */
  readonly loaded: Followed<Input & { readonly id: string; readonly version_id: string }>
  readonly blank: Input
}

/** What can be done about what somebody else saved meanwhile. */
export interface Conflict<Input> {
  readonly kind: Kind
  readonly id: string
  readonly mine: Input
  readonly onKeep: (etag: string | undefined) => void
  readonly onTheirs: (theirs: Draft<Input>) => void
  readonly onClose: () => void
}

/** What became of the last save. */
interface Outcome {
  readonly said: string
  readonly warnings?: readonly string[]
  readonly failure?: ApiFailure
  readonly isConflict?: true
}

export interface Saving extends Outcome {
  readonly isChanged: boolean
  /** Absent of a new one. */
  readonly discard: (() => void) | undefined
}

export interface Editing<Input> extends Saving {
  readonly content: Input
  readonly change: (part: Partial<Input>) => void
  /** Counts the contents that were put in the place of what was written. */
  readonly round: number
  readonly save: (event: Event) => void
  readonly conflict: Conflict<Input> | undefined
}

const trim = <Input extends Content>(content: Input): Input => ({
  ...content,
  name: content.name.trim(),
})
const textOf = (content: Content) => describeContent(trim(content), new Map())

/** Keeps in this tab what differs from what was opened. */
function useDraft<Input extends Content>(name: string, opened: Draft<Input>) {
  const [kept] = useState(() => readDraft<Draft<Input>>(name))
  const [draft, setDraft] = useState(kept ?? opened)
  const isChanged = textOf(draft.content) !== textOf(opened.content)
  useEffect(() => {
    if (isChanged) writeDraft(name, draft)
    else dropDraft(name)
  }, [isChanged, draft, name])
  const [round, next] = useState(0)
  const replace = (other: Draft<Input>) => {
    setDraft(other)
    next(round + 1)
  }
  const last = useRef(opened)
  useLayoutEffect(() => {
    const before = last.current
    last.current = opened
    // an earlier version was made current: what nobody has changed follows it
    if (before !== opened && textOf(draft.content) === textOf(before.content)) replace(opened)
  }, [textOf(opened.content)])
  return { draft, setDraft, replace, round, isChanged, isRestored: kept !== undefined }
}

export function useEditing<Input extends Content>({
  kind,
  loaded: { value: saved, etag, refetch },
  blank,
}: EditingOptions<Input>): Editing<Input> {
  const opened: Draft<Input> = saved
    ? { content: contentOf<Input>(saved), etag }
    : { content: blank }
  const { value: now } = session
  // drafts are of an account, so that another that signs in does not see them
  const name = `${'who' in now ? now.who.account_id : ''}:${kind}:${saved?.id ?? 'new'}`
  const { draft, setDraft, replace, round, isChanged, isRestored } = useDraft(name, opened)
  const restored = kind === 'rules' ? 'text of before is' : 'changes of before are'
  const [outcome, tell] = useState<Outcome>({
    said: isRestored ? `Your unsaved ${restored} back.` : '',
  })
  const save = async (over: string | undefined) => {
    tell({ said: '' })
    try {
      const guard = over !== undefined && { ifMatch: over }
      const asked = saved && { path: { id: saved.id }, ...guard }
      const { value, etag: newest } = await put(kind, trim(draft.content), asked)
      const base = `GET /v2/watch/management/${kind}` as const
      await forget(base, `${base}/{id}/versions`)
      dropDraft(name)
      // what was written meanwhile stays
      setDraft(({ content }) => ({ content, etag: newest }))
      if (saved) refetch()
      else go(linkTo(`/${kind}/${value.id}`), 'replace')
      // those of a rule are told while it is written
      const warnings = kind === 'rules' ? [] : (value.warnings ?? [])
      tell({ said: 'Saved as a new version.', warnings: warnings.map(({ message }) => message) })
    } catch (error) {
      const failure = error as ApiFailure
      tell({ said: '', ...(failure.status === 412 ? { isConflict: true } : { failure }) })
    }
  }
  return {
    ...{ ...outcome, content: draft.content, isChanged, round },
    change: (part) =>
      setDraft(({ content, ...rest }) => ({ ...rest, content: { ...content, ...part } })),
    save: (event) => {
      event.preventDefault()
      void save(draft.etag)
    },
    discard: saved && (() => replace(opened)),
    conflict:
      outcome.isConflict && saved
        ? {
            ...{ kind, id: saved.id, mine: draft.content },
            onKeep: (theirs) => void save(theirs),
            onTheirs: (theirs) => {
              replace(theirs)
              tell({ said: '' })
              refetch()
            },
            onClose: () => tell({ said: '' }),
          }
        : undefined,
  }
}

/** `over`: absent of a new one. */
function put(kind: Kind, body: Content, over: Over | undefined) {
  if (!over) return ask(`POST /v2/watch/management/${kind}`, { body })
  return ask(`PUT /v2/watch/management/${kind}/{id}`, { ...over, body })
}

interface Over {
  readonly path: { readonly id: string }
  readonly ifMatch?: string
}
