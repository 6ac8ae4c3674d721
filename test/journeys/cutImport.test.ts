/** A service that is closed while a file is being imported. */

import { request } from 'node:http'
import pino from 'pino'
import { expect, test } from 'vitest'
import { openCustomer, openVigil } from '../support/openVigil.ts'

const path = '/v2/verification/management/phone-numbers/block/import'

test('a service that stops during an import ends the lines under way before its stores', async () => {
  const logged: string[] = []
  const logger = pino({ level: 'error' }, { write: (line) => logged.push(line) })
  const vigil = await openVigil({ logger })
  const { token } = await openCustomer(vigil)
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' }
  const { port } = vigil.door
  const outgoing = request({ host: '127.0.0.1', port, method: 'POST', path, headers })
  outgoing.on('error', () => undefined)
  const lines = Array.from(
    { length: 20_000 },
    (_, at) => `{"phone_number":"+1213${2_000_000 + at}"}`,
  )
  outgoing.write(lines.join('\n'))
  const answered = new Promise<void>((resolve) => {
    outgoing.once('response', (incoming) => {
      incoming.on('error', () => undefined)
      incoming.on('data', () => resolve())
    })
  })
  await answered

  outgoing.destroy()
  await vigil.close()
  // what was left under way would fail about now
  await new Promise((resolve) => setTimeout(resolve, 200))

  expect(logged.filter((line) => !line.includes('broke off'))).toEqual([])
})
