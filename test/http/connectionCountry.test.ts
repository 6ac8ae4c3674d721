import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { readConnectionCountry } from '../../src/http/request/clientConnection.ts'

const sight = { trustedProxies: 1, countryHeader: 'x-country' }

function asked(...values: readonly string[]): IncomingMessage {
  const rawHeaders = values.flatMap((value) => ['X-Country', value])
  const headers = values.length === 0 ? {} : { 'x-country': values.join(', ') }
  return { rawHeaders, headers } as unknown as IncomingMessage
}

test.each([['DE'], ['de'], [' De ']])('%j is a country', (told) => {
  expect(readConnectionCountry(asked(told), sight)).toBe('DE')
})

test.each([
  ['nothing', []],
  ['an empty text', ['']],
  ['that it is not known', ['XX']],
  ['no letters', ['T1']],
  ['a name', ['Germany']],
  ['two', ['DE, FR']],
  ['the same twice, one of which the client has sent', ['DE', 'DE']],
])('%s is no country', (_, told) => {
  expect(readConnectionCountry(asked(...told), sight)).toBeUndefined()
})

test('nothing is believed without a proxy and the name of its header', () => {
  expect(readConnectionCountry(asked('DE'), { ...sight, trustedProxies: 0 })).toBeUndefined()
  expect(readConnectionCountry(asked('DE'), { trustedProxies: 1 })).toBeUndefined()
})
