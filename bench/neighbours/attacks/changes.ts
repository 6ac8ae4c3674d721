import type { Attack } from '../attack.ts'
import { repeat } from '../repeat.ts'
import { longRule } from '../rulebook.ts'

const rules = 300
const chars = 3_100

export const changes: Attack = {
  does: `asks whether ${rules} rules of 3.1 KB could be made at once (dry_run)`,
  run: async (attacker) => {
    let round = 0
    await repeat(attacker, 2, async () => {
      round += 1
      const from = round * rules
      const made = Array.from({ length: rules }, (_, at) => ({
        content: { name: `Rule ${at}`, expression: longRule(from + at, chars) },
      }))
      const body = JSON.stringify({ dry_run: true, rules: made })
      await attacker.send({ method: 'POST', path: '/v2/watch/management/changes', body })
    })
  },
}
