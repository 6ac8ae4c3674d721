import type { Attack } from '../attack.ts'
import { headOf, holdOpen } from '../rawSocket.ts'
import { repeat } from '../repeat.ts'

const atOnce = 1_000

export const unsentBodies: Attack = {
  does: `begins ${atOnce.toLocaleString('en')} requests that name a body and never send it`,
  run: async (attacker) => {
    const headers = ['Content-Type: application/json', 'Content-Length: 60000']
    const text = `${headOf(attacker, 'POST /v2/watch/eval', headers)}{"flow_id":"`
    await repeat(attacker, atOnce, () => holdOpen(attacker, { text, reads: true }))
  },
}
