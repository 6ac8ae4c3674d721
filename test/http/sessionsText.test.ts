import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sessionsText } from '../../src/http/sessions/ownSessionRoutes.ts'

const view = fc.record({
  id: fc.string(),
  device_type: fc.string({ unit: 'grapheme' }),
  device_model: fc.string({ unit: 'binary' }),
  os_version: fc.string(),
  country_code: fc.string(),
  created_at: fc.string(),
  last_seen_at: fc.string(),
  expires_at: fc.string(),
})
const page = fc.record({
  sessions: fc.array(view),
  total: fc.nat(),
  limit: fc.nat(),
  offset: fc.nat(),
})

test('a list is written as JSON writes it, also the second time', () => {
  fc.assert(
    fc.property(page, (one) => {
      expect([sessionsText(one), sessionsText(one)]).toEqual(Array(2).fill(JSON.stringify(one)))
    }),
  )
})
