import type { Attack } from '../attack.ts'
import { repeat } from '../repeat.ts'

const keys = 95_000

export const wideBody: Attack = {
  does: `sends objects of ${keys.toLocaleString('en')} keys, 1 MB`,
  run: async (attacker) => {
    const members = Array.from({ length: keys }, (_, at) => `"${at}":0`)
    const body = `{${members.join(',')}}`
    await repeat(attacker, 4, () =>
      attacker.send({ method: 'POST', path: '/v2/watch/management/changes', body }),
    )
  },
}
