import type { Attack } from '../attack.ts'
import { repeat } from '../repeat.ts'
import { create, longRule } from '../rulebook.ts'

const atOnce = 8

export const keyedChanges: Attack = {
  does: 'changes rules with an Idempotency-Key of their own each',
  run: async (attacker) => {
    let number = 0
    await repeat(attacker, atOnce, async () => {
      const body = { name: 'Rule', expression: longRule(number, 2_000) }
      const rule = await create(attacker, 'rules', body)
      if (rule === undefined) return
      const path = `/v2/watch/management/rules/${rule}`
      for (let times = 0; times < 20 && !attacker.over(); times += 1) {
        number += 1
        const changed = { name: 'Rule', expression: longRule(number, 2_000) }
        const headers = { 'Idempotency-Key': `change-${number}-${'k'.repeat(200)}` }
        await attacker.send({ method: 'PUT', path, body: changed, headers })
      }
    })
  },
}
