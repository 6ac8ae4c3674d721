/** Records who was shown which person in clear, once an hour for each. */

import { LRUCache } from 'lru-cache'
import type { Call } from '../../domain/call.ts'
import type { Principal } from '../../domain/principal.ts'
import type { OpenedPerson, OpenedPersons } from '../../domain/shownPersons.ts'
import { uuidV5 } from '../../domain/uuid.ts'
import { type OpeningEvent, openingStream } from '../../events/audit/opening.ts'
import type { WriteContext } from '../handling/commandContext.ts'
import { buildEventContext } from '../handling/executeCommand.ts'
import { waitForSpareKeys } from '../handling/waitForSealingKeys.ts'

/** Namespace of the command ids under which it is recorded. */
const namespace = '1c5e8b1e-6d0a-5f52-9a3b-7a1f6f0c2d94'

const hourMs = 60 * 60 * 1_000

/** An answer about more persons is recorded as one, so that what is written does not grow with what is read. */
const namedMax = 10

/** The command ids of what is on record: a repetition costs a write of the log, though it changes nothing. */
export type KnownOpenings = LRUCache<string, true>

const knownMax = 20_000

export function openKnownOpenings(): KnownOpenings {
  return new LRUCache({ max: knownMax })
}

interface Opened {
  readonly account: string
  /** Of the API. */
  readonly operation: string
  /** Of the console. */
  readonly screen: string | undefined
  readonly persons: OpenedPersons
}

/**
 * Records the first time in each hour that a caller is shown a person by an operation on a screen. The stream and its
 * ids follow from these, so that it is written once, by whichever instance. Throws `unavailable`: nobody is shown what
 * cannot be put on record.
 */
export async function recordOpened(
  context: WriteContext & { readonly knownOpenings: KnownOpenings },
  call: Call<Principal>,
  { account, operation, screen, persons }: Opened,
): Promise<void> {
  const { keyring, knownOpenings } = context
  const named = nameEach(persons)
  if (named.length === 0) return
  const request = { account, operation: 'persons.open', input: null }
  const eventContext = buildEventContext(context, call, request)
  const { actor, time } = eventContext
  const hour = Math.floor(time / hourMs)
  await Promise.all(
    named.map(async (person) => {
      const event: OpeningEvent = {
        type: 'PersonOpened',
        data: {
          operation,
          ...(screen !== undefined && { screen }),
          ...(person && { kind: person.kind, person: person.value }),
        },
      }
      const known = JSON.stringify([account, actor, hour, event.data])
      const command = uuidV5(namespace, keyring.digest('opened', known))
      if (knownOpenings.has(command)) return
      await waitForSpareKeys(keyring)
      const events = context.encode([event], { ...eventContext, command })
      await context.events.append({ stream: openingStream(command), events, expected: 'no_stream' })
      knownOpenings.set(command, true)
    }),
  )
}

/** Each of them once; undefined stands for more than are named. */
function nameEach(persons: OpenedPersons): readonly (OpenedPerson | undefined)[] {
  if (persons === 'unnamed') return [undefined]
  const each = new Map(persons.map((one) => [`${one.kind} ${one.value}`, one]))
  return each.size > namedMax ? [undefined] : [...each.values()]
}
