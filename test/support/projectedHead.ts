/** Where the log ends, by the projections once they have handled all of it. */

import { checkReadiness } from '../../src/queries/operations/readiness.ts'
import { eventually } from './eventually.ts'
import type { Vigil } from './openVigil.ts'

/** The position of the last event. */
export async function projectedHead({ service }: Pick<Vigil, 'service'>): Promise<number> {
  let head = 0
  await eventually(async () => {
    const { projections } = await checkReadiness(service.context)
    head = Math.max(...projections.map(({ position }) => position))
    return projections.every(({ lag_seconds }) => lag_seconds === 0)
  })
  return head
}
