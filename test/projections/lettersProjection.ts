import type { DecodedEvent, DomainEvent } from '../../src/events/recording/event.ts'
import {
  defineCollection,
  defineProjection,
  type Projection,
} from '../../src/projections/running/projection.ts'
import type { RecordedEvent } from '../../src/stores/eventStore.ts'

/** Adds a letter to the end of each document named; `removed` removes it. Order, loss and repetition all show. */
type LetterEvent =
  | DomainEvent<'LetterAdded', { readonly ids: readonly string[]; readonly letter: string }>
  | DomainEvent<'WordRemoved', { readonly id: string }>

interface Word {
  readonly text: string
}

export interface LettersOptions {
  readonly name?: string
  readonly version?: number
  /** Letters that cannot be applied. */
  readonly poison?: ReadonlySet<string>
  readonly suffix?: string
}

/** The projection; a letter of `poison` in document x throws for a document whose id begins with `p`. */
export function letters(options: LettersOptions = {}): Projection {
  const { name = 'letters', version = 1, poison = new Set(), suffix = '' } = options
  const collection = defineCollection<Word>({ projection: { name, version } })
  return defineProjection<LetterEvent, Word>({
    name,
    version,
    collections: [collection],
    eventTypes: ['LetterAdded', 'WordRemoved'],
    targets: ({ event }) =>
      (event.type === 'LetterAdded' ? event.data.ids : [event.data.id]).map((id) => ({
        collection,
        id,
      })),
    apply: (word, { event }, { id }) => {
      if (event.type === 'WordRemoved') return null
      if (poison.has(event.data.letter) && id.startsWith('p')) throw new Error('a poison letter')
      return { text: (word?.text ?? '') + event.data.letter + suffix }
    },
  })
}

/** Parses, and throws for data that says so. */
export function decodeLetters(recorded: RecordedEvent): DecodedEvent {
  const data: unknown = JSON.parse(recorded.data)
  if (Object(data).unreadable) throw new Error(`event ${recorded.type} cannot be read`)
  return {
    ...recorded,
    event: { type: recorded.type, data },
    metadata: JSON.parse(recorded.metadata),
  }
}

/** The documents as a plain fold over the log makes them. */
export function plainFold(events: readonly RecordedEvent[]): Readonly<Record<string, string>> {
  const words = new Map<string, string>()
  for (const event of events) {
    const data = JSON.parse(event.data)
    if (event.type === 'WordRemoved') words.delete(data.id)
    if (event.type !== 'LetterAdded') continue
    for (const id of data.ids) words.set(id, (words.get(id) ?? '') + data.letter)
  }
  return Object.fromEntries(words)
}
