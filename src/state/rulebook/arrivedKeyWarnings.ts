/** Warns of rules that ask for keys of `ext` that no evaluation of the last days carried. */

import { isUnavailable } from '../../domain/failure.ts'
import { isWithinEdits } from '../../domain/text/nearestName.ts'
import type { SaveWarning } from '../../domain/warning.ts'
import { type Expression, visitNodes } from '../../engine/language/expression.ts'
import { formatExtName, parseExtKey } from '../../engine/language/readableNames.ts'
import { isClearKey } from '../../events/evaluation/evidenceRecord.ts'
import {
  type ArrivedKeysDocument,
  arrivedKeysCollection,
  arrivedKeysMax,
} from '../../projections/analysis/arrivedKeys.ts'
import { dayMs } from '../../projections/analysis/counts.ts'
import { getDocument } from '../../projections/running/documents.ts'
import type { StateContext } from '../folding/stateContext.ts'

/** How far a near key is from the one that a rule asks for. */
const editsMax = 2

/**
 * A warning for each key that the rule reads or asks for with `has`, with the near one that arrived. None while the
 * account evaluates nothing, and where it is not known which keys arrived. It reads one document, and waits for none.
 */
export async function findArrivedKeyWarnings(
  context: Pick<StateContext, 'documents' | 'projections' | 'clock'>,
  account: string,
  expression: Expression,
): Promise<readonly SaveWarning[]> {
  const asked = listExtKeys(expression)
  if (asked.length === 0) return []
  const found = await getDocument(context, arrivedKeysCollection, account).catch(ignoreUnavailable)
  const since = Math.floor(context.clock.nowMs() / dayMs) - arrivedKeysMax.days
  const { day, keys, left_out = 0 }: ArrivedKeysDocument = found?.body ?? { day: 0, keys: [] }
  if (day < since || left_out >= since) return []
  const arrived = keys.flatMap(([key, on]) => (on >= since ? [key] : []))
  const absent = asked.filter((key) => isClearKey(key, 0) && !arrived.includes(key))
  return absent.map((key) => buildWarning(key, arrived))
}

function listExtKeys(expression: Expression): readonly string[] {
  const keys = new Set<string>()
  visitNodes(expression, (node) => {
    const isName = node.kind === 'read' || node.kind === 'has'
    const key = isName ? parseExtKey(node.name) : undefined
    if (key !== undefined) keys.add(key)
  })
  return [...keys]
}

function buildWarning(key: string, arrived: readonly string[]): SaveWarning {
  const near = arrived.filter((one) => isNear(key, one)).map(formatExtName)
  const other = near.length === 0 ? '.' : `; ${near.join(', ')} did arrive.`
  const message = `No evaluation of the last ${arrivedKeysMax.days} days carried ${formatExtName(key)}${other}`
  return { code: 'key_never_arrives', path: 'expression', message }
}

/** Whether the keys are at most two edits apart; case does not count, and a key is not near to itself. */
export function isNear(key: string, other: string): boolean {
  if (key === other || Math.abs(key.length - other.length) > editsMax) return false
  return isWithinEdits(key.toLowerCase(), other.toLowerCase(), editsMax)
}

function ignoreUnavailable(error: unknown): undefined {
  if (isUnavailable(error)) return undefined
  throw error
}
