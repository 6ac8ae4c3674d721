/**
 * Gives an account a large rulebook: the events that its authors' commands would have written, put into the log in
 * large appends.
 */

import { randomBytes, randomUUID } from 'node:crypto'
import type { Keyring } from '../src/events/recording/sealing.ts'
import type { Membership, RulebookEvent } from '../src/events/rulebook/rulebook.ts'
import type { EventStore, NewEvent } from '../src/stores/eventStore.ts'
import { encode, newId, parseRule } from './built.ts'
import type { Condition } from './conditions.ts'
import { celText } from './notations.ts'

export interface Growth {
  /** That of the service, which must not run meanwhile. */
  readonly store: Pick<EventStore, 'readStream' | 'append'>
  readonly account: string
  readonly conditions: readonly Condition[]
  readonly rules: number
  readonly flows: number
}

const membersOfRecipe = 60
/** Characters of events in one append, below the store's limit. */
const appendChars = 512 * 1024
const random = { bytes: (count: number) => randomBytes(count) }
const clock = { nowMs: () => Date.now() }

/** Adds rules, and flows of one live recipe each; answers the ids of the flows. */
export async function growRulebook(growth: Growth): Promise<readonly string[]> {
  const { store } = growth
  const stream = `rulebook-${growth.account}`
  let revision = (await store.readStream(stream, { from: 0, limit: 100_000 })).length - 1
  const write = async (events: readonly NewEvent[]): Promise<void> => {
    const answer = await store.append({ stream, events, expected: revision })
    if (!answer.ok) throw new Error('somebody else writes to the rulebook')
    revision = answer.revision
  }
  const { events, flows } = eventsOf(growth)
  const command = randomUUID()
  let batch: NewEvent[] = []
  let chars = 0
  for (const [index, event] of events.entries()) {
    const context = {
      account: growth.account,
      actor: 'operator',
      request: '',
      command,
      time: clock.nowMs(),
    }
    // a rulebook holds no personal data, so that no key is asked for
    const encoded = encode({ event, context, index }, {} as Keyring)
    batch.push(encoded)
    chars += encoded.data.length + encoded.metadata.length
    if (chars < appendChars && batch.length < 500) continue
    await write(batch)
    batch = []
    chars = 0
  }
  if (batch.length > 0) await write(batch)
  return flows
}

function eventsOf({ conditions, rules, flows }: Growth): {
  readonly events: readonly RulebookEvent[]
  readonly flows: readonly string[]
} {
  const events: RulebookEvent[] = []
  const texts = conditions.map(celText)
  const expressions = texts.map((text) => {
    const parsed = parseRule(text)
    if (!('expression' in parsed)) throw new Error(text)
    return parsed.expression
  })
  const ruleIds = Array.from({ length: rules }, () => newId('rul', clock, random))
  for (const [index, rule_id] of ruleIds.entries()) {
    const text = texts[index % texts.length] as string
    const expression = expressions[index % expressions.length] as (typeof expressions)[number]
    const version_id = newId('ver', clock, random)
    events.push({
      type: 'RulePublished',
      data: { rule_id, version_id, name: `Rule ${index}`, text, expression },
    })
  }
  const flowIds: string[] = []
  for (let index = 0; index < flows; index += 1) {
    const recipe_id = newId('rcp', clock, random)
    const members = Array.from({ length: membersOfRecipe }, (_, at): Membership => {
      const rule_id = ruleIds[(index * membersOfRecipe + at) % ruleIds.length] as string
      return { rule_id, weight: (at % 5) + 1 }
    })
    const flow_id = newId('flo', clock, random)
    flowIds.push(flow_id)
    events.push(
      {
        type: 'RecipePublished',
        data: {
          recipe_id,
          version_id: newId('ver', clock, random),
          name: `Recipe ${index}`,
          status: 'LIVE',
          threshold: 50,
          rules: members,
        },
      },
      {
        type: 'FlowPublished',
        data: {
          flow_id,
          version_id: newId('ver', clock, random),
          name: `Flow ${index}`,
          recipes: [recipe_id],
        },
      },
    )
  }
  return { events, flows: flowIds }
}
