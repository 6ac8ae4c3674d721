/** Projects the rules of every account: the current version of each. */

import { type AuthoredRule, authoredRule, ruleContent } from '../../events/rulebook/contents.ts'
import type { RulebookEvent, RuleContent } from '../../events/rulebook/rulebook.ts'
import { collectionOf, defineProjection, type Made, madeAt } from '../running/projection.ts'

/** By the rule's id. */
export interface RuleDocument extends AuthoredRule<RuleContent>, Made {
  readonly account: string
  readonly version_id: string
}

const identity = { name: 'rules', version: 3 } as const
export const ruleCollection = collectionOf<RuleDocument>({
  projection: identity,
  indexes: [['account', 'made']],
})

type RuleEvent = Extract<RulebookEvent, { type: 'RulePublished' | 'RuleRestored' | 'RuleRetired' }>

export const rules = defineProjection<RuleEvent, RuleDocument>({
  ...identity,
  collections: [ruleCollection],
  handles: ['RulePublished', 'RuleRestored', 'RuleRetired'],
  targets: ({ event }) => [{ collection: ruleCollection, id: event.data.rule_id }],
  apply: (rule, { event, metadata: { account }, position }) => {
    if (event.type === 'RuleRetired') return null
    const { version_id } = event.data
    const content = authoredRule(ruleContent(event.data))
    return { account, ...madeAt(rule, position), ...content, version_id }
  },
})
