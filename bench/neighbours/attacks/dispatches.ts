import { randomUUID } from 'node:crypto'
import { operatorToken } from '../../childProcess.ts'
import type { Attack } from '../attack.ts'
import { repeat } from '../repeat.ts'

const atOnce = 64

export const dispatches: Attack = {
  does: `sends signals of new dispatches by a public key, ${atOnce} at once`,
  run: async (attacker) => {
    const [, account = ''] = attacker.token.split('_')
    const issued = await attacker.send({
      method: 'POST',
      path: `/v2/operator/accounts/acc_${account}/sdk-keys`,
      body: {},
      headers: { Authorization: `Bearer ${operatorToken}` },
    })
    const key = String(JSON.parse(issued.text)['sdk_key'])
    await repeat(attacker, atOnce, () =>
      attacker.send({
        method: 'POST',
        path: '/v1/signals',
        body: { dispatch_id: randomUUID(), signals: { user_agent: 'x'.repeat(1_000) } },
        headers: { 'X-SDK-Key': key },
      }),
    )
  },
}
