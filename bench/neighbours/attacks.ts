/** Every attack, by the name that `--only neighbours:…` takes. */

import type { Attack } from './attack.ts'
import { changedRule } from './attacks/changedRule.ts'
import { changes } from './attacks/changes.ts'
import { comparisons } from './attacks/comparisons.ts'
import { dearOperations } from './attacks/dearOperations.ts'
import { dispatches } from './attacks/dispatches.ts'
import { explanations } from './attacks/explanations.ts'
import { farPositions } from './attacks/farPositions.ts'
import { feedbackBatches } from './attacks/feedbackBatches.ts'
import { keyedChanges } from './attacks/keyedChanges.ts'
import { keyedEvaluations } from './attacks/keyedEvaluations.ts'
import { largeFlow } from './attacks/largeFlow.ts'
import { largePages } from './attacks/largePages.ts'
import { manyEvaluations } from './attacks/manyEvaluations.ts'
import { manyPatterns } from './attacks/manyPatterns.ts'
import { nestedLists } from './attacks/nestedLists.ts'
import { slowReaders } from './attacks/slowReaders.ts'
import { tryOuts } from './attacks/tryOuts.ts'
import { unknownTokens } from './attacks/unknownTokens.ts'
import { unsentBodies } from './attacks/unsentBodies.ts'
import { wideBody } from './attacks/wideBody.ts'

export const attacks: Readonly<Record<string, Attack>> = {
  nestedLists,
  dearOperations,
  manyPatterns,
  changedRule,
  keyedChanges,
  largeFlow,
  changes,
  wideBody,
  unsentBodies,
  farPositions,
  comparisons,
  largePages,
  slowReaders,
  tryOuts,
  explanations,
  unknownTokens,
  keyedEvaluations,
  feedbackBatches,
  dispatches,
  manyEvaluations,
}

/** Throws when there is none of this name. */
export function attackNamed(name: string): Attack {
  const attack = Object.hasOwn(attacks, name) ? attacks[name] : undefined
  if (!attack) throw new Error(`there is no attack ${name}`)
  return attack
}
