/** The rulebook family: streams `rulebook-{account}`. */

import type { Expression } from '../engine/expression.ts'
import type { DomainEvent } from './event.ts'

export type RecipeStatus = 'DRAFT' | 'SHADOW' | 'LIVE' | 'INACTIVE'

export interface RuleContent {
  readonly name: string
  /** The rule as its author wrote it. */
  readonly text: string
  /** The rule as it runs. */
  readonly expression: Expression
}

/** A rule's place in a recipe; `version_id` pins a version of the rule. */
export interface Membership {
  readonly rule_id: string
  readonly weight: number
  readonly preempts?: 'FLAG' | 'PASS'
  readonly version_id?: string
}

export interface RecipeContent {
  readonly name: string
  readonly threshold: number
  readonly rules: readonly Membership[]
}

export interface FlowContent {
  readonly name: string
  /** Recipe ids, in order. */
  readonly recipes: readonly string[]
}

export type RulebookEvent =
  | DomainEvent<
      'RulePublished',
      RuleContent & { readonly rule_id: string; readonly version_id: string }
    >
  | DomainEvent<'RuleRetired', { readonly rule_id: string }>
  | DomainEvent<
      'RecipePublished',
      RecipeContent & {
        readonly recipe_id: string
        readonly version_id: string
        readonly status: RecipeStatus
      }
    >
  | DomainEvent<'RecipeStatusSet', { readonly recipe_id: string; readonly status: RecipeStatus }>
  | DomainEvent<'RecipeRetired', { readonly recipe_id: string }>
  | DomainEvent<
      'FlowPublished',
      FlowContent & { readonly flow_id: string; readonly version_id: string }
    >
  | DomainEvent<'FlowRetired', { readonly flow_id: string }>
