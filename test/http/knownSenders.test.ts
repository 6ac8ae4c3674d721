import { expect, test } from 'vitest'
import { openKnownSenders } from '../../src/http/connections/knownSenders.ts'

const address = '192.0.2.1'
const asked = (authorization: string | undefined, monitors = false) => ({
  authorization,
  address: () => address,
  monitors,
})

test('a token that was good stands for its account from then on, all others for their address', () => {
  const senders = openKnownSenders()
  const before = senders.of(asked('Bearer one'))
  senders.learn('Bearer one', 'acc_1')
  senders.learn('Bearer two', 'acc_1')
  senders.learn('Bearer bad', undefined)

  const after = ['Bearer one', 'Bearer two', 'Bearer bad', undefined].map((header) =>
    senders.of(asked(header)),
  )

  expect(before).toBe('address 192.0.2.1')
  expect(after).toEqual(['acc_1', 'acc_1', before, before])
})

test('whoever watches the service waits behind no account', () => {
  const senders = openKnownSenders()
  senders.learn('Bearer one', 'acc_1')

  expect(senders.of(asked('Bearer one', true))).toBe('monitoring 192.0.2.1')
})

test('the address is not asked for where the token says who it is', () => {
  const senders = openKnownSenders()
  senders.learn('Bearer one', 'acc_1')
  let asks = 0
  const counted = (authorization: string) => ({
    ...asked(authorization),
    address: () => {
      asks += 1
      return address
    },
  })

  senders.of(counted('Bearer one'))
  const ofKnown = asks
  senders.of(counted('Bearer two'))

  expect(ofKnown).toBe(0)
  expect(asks).toBe(1)
})
