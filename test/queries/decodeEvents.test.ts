/** Events that an auditor is shown are decoded and opened one by one, and others have their turn between them. */

import { afterEach, expect, test, vi } from 'vitest'
import { decode, openEvent } from '../../src/events/catalogue.ts'
import { rulebookStream } from '../../src/events/rulebook/rulebook.ts'
import { decodeEvents } from '../../src/queries/reading/decodeEvents.ts'
import { everyPauseYields, turnsDuring } from '../support/everyPauseYields.ts'
import { openShopOfFile } from '../support/openOfFile.ts'

const { vigil, shop } = await openShopOfFile()
const { context } = vigil.service
const { events, keyring } = context

afterEach(() => void vi.restoreAllMocks())

test('many events are as each by itself, opened where that is asked for', async () => {
  const { body } = await shop.evaluate(await shop.flowOf('signal.ip == "192.0.2.1"'))
  const stream = `evaluation-${body['id']}`
  const recorded = await events.readStream(stream, { from: 0, limit: 10 })

  const sealed = recorded.map((one) => decode(one))
  expect(sealed).toHaveLength(1)
  expect(await decodeEvents(context, recorded, false)).toEqual(sealed)
  expect(await decodeEvents(context, recorded, true)).toEqual(
    await Promise.all(sealed.map((one) => openEvent(one, keyring))),
  )
})

test('each is decoded in a turn of its own', async () => {
  for (let made = 0; made < 20; made += 1) await shop.rule('1 == 1')
  const stream = rulebookStream(shop.accountId)
  const recorded = await events.readStream(stream, { from: 0, limit: 100 })
  everyPauseYields()

  const turns = await turnsDuring(() => decodeEvents(context, recorded, false))

  expect(recorded.length).toBeGreaterThan(20)
  expect(turns).toBeGreaterThanOrEqual(recorded.length)
})
