/** Finds which differences of two evaluations turn the verdict of one into that of the other. */

import { engineOf } from '../../../engine/engineOf.ts'
import { mixed, type Side, type SideDifference } from './sides.ts'

type Combination = readonly SideDifference[]

export interface Causes {
  /** Each turns the first verdict into the second by itself; none when the verdicts are the same. */
  readonly causes: readonly Combination[]
  /** Whether all that are smaller were tried, so that none of them does. */
  readonly smallest: boolean
}

/** Rules that are compiled for one answer, and runs. */
const rulesMax = 60_000
const runsMax = 500

/** Causes that are named. */
const causesMax = 20

/**
 * Runs the engine on mixtures of both: every difference alone, then every two, then as few as remain when none can be left out. Long
 * work. Throws `unknown_semantics`.
 */
export async function findCauses(a: Side, b: Side, differences: Combination): Promise<Causes> {
  if (a.verdict === b.verdict) return { causes: [], smallest: true }
  const trying: Trying = { a, b, runsLeft: runsOf(a, b) }
  for (const combinations of [alone(differences), inPairs(differences)]) {
    if (combinations.length > trying.runsLeft / 2) return shrunk(trying, differences)
    const causes: Combination[] = []
    for (const combination of combinations) {
      if (await turns(trying, combination)) causes.push(combination)
    }
    if (causes.length > 0) return { causes: causes.slice(0, causesMax), smallest: true }
  }
  return shrunk(trying, differences)
}

interface Trying {
  readonly a: Side
  readonly b: Side
  runsLeft: number
}

function runsOf(a: Side, b: Side): number {
  const rules = [a, b].flatMap(({ plan }) => plan.recipes.flatMap((recipe) => recipe.rules))
  return Math.min(runsMax, Math.ceil(rulesMax / (rules.length + 1)))
}

function alone(differences: Combination): readonly Combination[] {
  return differences.map((one) => [one])
}

function inPairs(differences: Combination): readonly Combination[] {
  return differences.flatMap((one, at) => differences.slice(at + 1).map((other) => [one, other]))
}

async function turns(trying: Trying, combination: Combination): Promise<boolean> {
  const { a, b } = trying
  trying.runsLeft -= 1
  const { plan, evidence } = mixed(a, b, combination)
  const recipes = plan.recipes.filter(({ status }) => status === 'LIVE')
  const compiled = await engineOf(plan.semantics).compileInSlices({ ...plan, recipes })
  return (await compiled.runInSlices(evidence)).verdict === b.verdict
}

/** Leaves out larger and smaller parts as long as the rest still turns the verdict. */
async function shrunk(trying: Trying, differences: Combination): Promise<Causes> {
  let left = differences
  if (!(await turns(trying, left))) return { causes: [], smallest: false }
  for (
    let size = Math.ceil(left.length / 2);
    size >= 1;
    size = size > 1 ? Math.ceil(size / 2) : 0
  ) {
    for (let from = 0; from < left.length && trying.runsLeft > 0; ) {
      const rest = left.toSpliced(from, size)
      if (await turns(trying, rest)) left = rest
      else from += size
    }
  }
  return { causes: [left], smallest: false }
}
