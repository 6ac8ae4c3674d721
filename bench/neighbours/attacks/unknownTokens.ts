import { randomBytes } from 'node:crypto'
import type { Attack } from '../attack.ts'
import { repeat } from '../repeat.ts'

const atOnce = 200

export const unknownTokens: Attack = {
  does: `comes with tokens that do not exist, ${atOnce} at once`,
  run: (attacker) =>
    repeat(attacker, atOnce, () => {
      // the form of a real one, so that only a look-up tells them apart
      const made = randomBytes(attacker.token.length).toString('hex').slice(0, 24)
      const token = `${attacker.token.slice(0, -24)}${made}`
      const headers = { Authorization: `Bearer ${token}` }
      return attacker.send({ method: 'GET', path: '/v2/watch/management/rules', headers })
    }),
}
