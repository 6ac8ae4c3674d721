/** Managed rules in a customer's recipe: named by it, or there because it extends a managed recipe. */

import { bindParameters } from '../../engine/language/bindParameters.ts'
import {
  inForce,
  type ManagedEntry,
  type ManagedMembership,
  type ManagedRulebook,
} from '../../events/rulebook/managedRulebook.ts'
import type { Extension } from '../rulebook/extension.ts'
import { lackingParameter, type ParameterBindings } from '../rulebook/parameterBindings.ts'
import type { ExpressionSource, OutlinedRule } from './outline.ts'

/** Characters of an expression as JSON for one of the rule's text, at most about so many. */
const charsOfTextChar = 16

/** The rules that come with the extension. */
export function outlineBase(
  managed: ManagedRulebook,
  extension: Extension,
): readonly OutlinedRule[] {
  const { base, bindings } = extension
  return (base?.rules ?? []).map((member) => {
    const { source, ...unavailable } = outlineManaged(managed, member, bindings)
    return extension.inForce && source ? { ...unavailable, source } : unavailable
  })
}

/**
 * A managed rule in its place, its parameters to be written into it. Without a source when it is retired or reads a parameter that the
 * recipe does not have: it then reports `unavailable` (design 4.7).
 */
export function outlineManaged(
  managed: ManagedRulebook,
  { rule_id, weight, preempts }: ManagedMembership,
  bindings: ParameterBindings,
): OutlinedRule {
  const last = managed.rules.get(rule_id)?.current
  const source = boundExpression(managed, rule_id, bindings)
  return {
    rule_id,
    type: 'MANAGED',
    // neither is shown to customers; the record needs both
    name: last?.name ?? rule_id,
    version_id: last?.version_id ?? '-',
    weight,
    ...(preempts && { preempts }),
    ...(source && { source }),
  }
}

/** The version of something managed, as a part of a fingerprint: of what is retired the last one, marked. */
export function versionMark(
  entry: ManagedEntry<{ readonly version_id: string }> | undefined,
): string {
  if (!entry) return '-'
  return entry.retired ? `-${entry.current.version_id}` : entry.current.version_id
}

function boundExpression(
  managed: ManagedRulebook,
  ruleId: string,
  bindings: ParameterBindings,
): ExpressionSource | undefined {
  const version = inForce(managed.rules, ruleId)
  if (!version || lackingParameter(version.parameters, bindings) !== undefined) return undefined
  return {
    chars: version.text.length * charsOfTextChar,
    read: () => bindParameters(version.expression, bindings),
  }
}
