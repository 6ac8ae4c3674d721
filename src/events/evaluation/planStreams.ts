/** Names the streams of recorded plans; computes the digests of plans, rules and expressions. */

import { hash } from 'node:crypto'
import { canonicalJson } from '../../domain/text/canonicalJson.ts'
import type { Expression } from '../../engine/language/expression.ts'
import type { PinnedPlan, PinnedRule } from './evaluationEvents.ts'

// each stream has one event, and is named by the digest of that
export const expressionStream = (digest: string): string => `expression-${digest}`
export const rulesStream = (digest: string): string => `plan_rules-${digest}`
export const planStream = (digest: string): string => `plan-${digest}`

type PlanContent =
  // of a managed rule with its version, which accounts are not told: else a text could be tried until its digest is the
  // same
  | { readonly expression: Expression; readonly version_id?: string }
  | { readonly rules: readonly PinnedRule[] }
  /** With the digests of everything that it names. */
  | { readonly plan: PinnedPlan }

/** The digest of an account's expression, chunk of rules or plan: SHA-256 over both in canonical JSON, base64url. */
export function computePlanDigest(account: string, content: PlanContent): string {
  return hash('sha256', canonicalJson({ account, ...content }), 'base64url')
}
