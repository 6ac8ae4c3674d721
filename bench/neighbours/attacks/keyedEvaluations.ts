import type { Attack } from '../attack.ts'
import { repeat } from '../repeat.ts'
import { createFlow } from '../rulebook.ts'

const atOnce = 32

export const keyedEvaluations: Attack = {
  does: `evaluates requests of 60 KB with an Idempotency-Key of their own each, ${atOnce} at once`,
  run: async (attacker) => {
    const flow_id = await createFlow(attacker, ['signal.ext.a0 == "x"', 'signal.ext.a1 == "x"'])
    if (flow_id === undefined) return
    const texts = Array.from({ length: 7 }, (_, at) => [`a${at}`, 'x'.repeat(8_000)])
    const signals = { ext: Object.fromEntries(texts) as Record<string, string> }
    let number = 0
    await repeat(attacker, atOnce, () => {
      number += 1
      const phone_number = `+336${10_000_000 + (number % 5_000)}`
      const body = { flow_id, target: { phone_number }, signals }
      const headers = { 'Idempotency-Key': `evaluation-${number}-${'k'.repeat(200)}` }
      return attacker.send({ method: 'POST', path: '/v2/watch/eval', body, headers })
    })
  },
}
