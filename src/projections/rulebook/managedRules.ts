/** Projects the managed rules in force. */

import {
  type AuthoredRule,
  authoredRule,
  managedRuleContent,
} from '../../events/rulebook/contents.ts'
import type { ManagedEvent, ManagedRuleContent } from '../../events/rulebook/managedRulebook.ts'
import { collectionOf, defineProjection, type Made, madeAt } from '../running/projection.ts'

/** By the rule's id. */
export interface ManagedRuleDocument extends AuthoredRule<ManagedRuleContent>, Made {
  /** The operator's own. */
  readonly account: string
  readonly version_id: string
}

const identity = { name: 'managed_rules', version: 3 } as const
export const managedRuleCollection = collectionOf<ManagedRuleDocument>({
  projection: identity,
  indexes: [['account', 'made']],
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
  apply: (rule, { event, metadata: { account }, position }) => {
    if (event.type === 'ManagedRuleRetired') return null
    const { version_id } = event.data
    const content = authoredRule(managedRuleContent(event.data))
    return { account, ...madeAt(rule, position), ...content, version_id }
  },
})
