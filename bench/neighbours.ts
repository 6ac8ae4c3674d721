/** What one account can make another one wait: evaluations and the question for life, alone and beside each attack. */

import type { Benchmark } from './benchmark.ts'
import type { Figure } from './figure.ts'
import { attacks } from './neighbours/attacks.ts'
import { figuresOf } from './neighbours/figuresOf.ts'
import { type Measured, measureAttack } from './neighbours/measureAttack.ts'

/** Measures every attack, or those named, each on a service of its own. */
export const neighbours: Benchmark = async ({ quick, pieces = Object.keys(attacks) }) => {
  const rounds = quick ? 1 : 3
  const durationMs = quick ? 2_000 : 6_000
  const figures: Figure[] = []
  for (const attack of pieces) {
    const measured: Measured[] = []
    for (let round = 0; round < rounds; round += 1) {
      measured.push(await measureAttack({ attack, durationMs }))
    }
    figures.push(...figuresOf(attack, measured))
  }
  return figures
}
