/** What one account can make another one wait: evaluations and the question for life, alone and beside each attack. */

import type { Benchmark } from './benchmark.ts'
import type { Figure } from './figure.ts'
import { attacks } from './neighbours/attacks.ts'
import { figuresOf } from './neighbours/figuresOf.ts'
import { type Measured, measureAttack } from './neighbours/measureAttack.ts'

/** Measures every attack, or those named, each on a service of its own. */
export const neighbours: Benchmark = async ({ size, pieces = Object.keys(attacks) }) => {
  const rounds = { full: 3, quick: 1, smallest: 1 }[size]
  const durationMs = { full: 6_000, quick: 2_000, smallest: 300 }[size]
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
