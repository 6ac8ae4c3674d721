/** The managed rules in force. */

import { type AuthoredRule, authoredRule } from '../../events/rulebook/authoredRule.ts'
import { managedRuleContent } from '../../events/rulebook/contents.ts'
import type { ManagedEvent, ManagedRuleContent } from '../../events/rulebook/managedRulebook.ts'
import { defineProjection } from '../running/defineProjection.ts'
import { collectionOf } from '../running/projection.ts'

/** By the rule's id. */
export interface ManagedRuleDocument extends AuthoredRule<ManagedRuleContent> {
  /** The operator's own. */
  readonly account: string
  readonly version_id: string
}

const identity = { name: 'managed_rules', version: 2 } as const
export const managedRuleCollection = collectionOf<ManagedRuleDocument>({
  projection: identity,
  indexes: [['account']],
})

type RuleEvent = Extract<
  ManagedEvent,
  { type: 'ManagedRulePublished' | 'ManagedRuleRestored' | 'ManagedRuleRetired' }
>

export const managedRules = defineProjection<RuleEvent, ManagedRuleDocument>({
  ...identity,
  collections: [managedRuleCollection],
  handles: ['ManagedRulePublished', 'ManagedRuleRestored', 'ManagedRuleRetired'],
  targets: ({ event }) => [{ collection: managedRuleCollection, id: event.data.rule_id }],
  apply: (_, { event, metadata: { account } }) => {
    if (event.type === 'ManagedRuleRetired') return null
    const { version_id } = event.data
    return { account, ...authoredRule(managedRuleContent(event.data)), version_id }
  },
})
