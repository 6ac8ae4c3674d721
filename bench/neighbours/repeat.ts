/** The same again and again. */

import type { Attacker } from './attacker.ts'

/** So many at once, each again and again until the time is over, at least once. */
export async function repeat(
  attacker: Attacker,
  times: number,
  work: (index: number) => Promise<unknown>,
): Promise<void> {
  const one = async (_: unknown, index: number): Promise<void> => {
    do await work(index)
    while (!attacker.over())
  }
  await Promise.all(Array.from({ length: times }, one))
}
