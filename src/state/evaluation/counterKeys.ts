/** Reads what counters are kept by from the evidence of an evaluation. */

import { findPhoneCountry } from '../../domain/evaluation/phone.ts'
import { computeKey, type FindText } from '../../engine/language/counterKey.ts'
import type { CounterPart } from '../../engine/language/counters.ts'
import { userAgentSignals } from '../../engine/language/readableNames.ts'
import type { Evidence } from '../../engine/run/evidence.ts'
import { gatherUserAgent } from './gatherEvidence.ts'

/** The values of the parts of a key; undefined when one did not arrive, or has not the form that its function reads. */
export function readKeyValues(
  by: readonly CounterPart[],
  findText: FindText,
): readonly string[] | undefined {
  return computeKey(by, findText, findPhoneCountry)
}

const derivedNames: ReadonlySet<string> = new Set(userAgentSignals.map((name) => `signal.${name}`))

/** The values of an evaluation by name, whatever its plan reads. */
export function readValues(evidence: Evidence, flowId: string | undefined): FindText {
  let whole: Evidence | undefined
  const findWhole = (): Evidence => {
    const derived = new Map(evidence)
    gatherUserAgent({ evidence: derived }, derivedNames)
    return derived
  }
  return (name) => {
    if (name === 'flow.id') return flowId
    if (derivedNames.has(name)) whole ??= findWhole()
    const value = (whole ?? evidence).get(name)?.value
    return value === undefined ? undefined : String(value)
  }
}
