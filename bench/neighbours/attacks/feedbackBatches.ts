import type { Attack } from '../attack.ts'
import { repeat } from '../repeat.ts'

const atOnce = 32
const batch = 100

export const feedbackBatches: Attack = {
  does: `sends feedback of ${batch} people of its own at once, 240 KB with an Idempotency-Key, ${atOnce} times at once`,
  run: async (attacker) => {
    let number = 0
    await repeat(attacker, atOnce, () => {
      number += 1
      const feedbacks = Array.from({ length: batch }, (_, index) => ({
        target: { type: 'phone_number', value: `+336${10_000_000 + number * batch + index}` },
        type: 'verification.started',
        signals: { user_agent: 'x'.repeat(2_300) },
      }))
      const headers = { 'Idempotency-Key': `feedback-${number}` }
      return attacker.send({
        method: 'POST',
        path: '/v2/watch/feedback',
        body: { feedbacks },
        headers,
      })
    })
  },
}
