import type { Attack } from '../attack.ts'
import { repeat } from '../repeat.ts'

const atOnce = 1_000

export const farPositions: Attack = {
  does: `waits ${atOnce.toLocaleString('en')} times at once for a position that never comes`,
  run: (attacker) => {
    const path = `/v2/watch/management/rules?min_position=${Number.MAX_SAFE_INTEGER}`
    return repeat(attacker, atOnce, () => attacker.send({ method: 'GET', path }))
  },
}
