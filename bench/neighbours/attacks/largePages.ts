import type { Attack } from '../attack.ts'
import { largePagesOf } from '../largePages.ts'
import { repeat } from '../repeat.ts'

const atOnce = 100

export const largePages: Attack = {
  does: `reads the largest pages, ${atOnce} at once`,
  run: async (attacker) => {
    const paths = await largePagesOf(attacker)
    await repeat(attacker, atOnce, (index) =>
      attacker.send({ method: 'GET', path: paths[index % paths.length] as string }),
    )
  },
}
