import { describe, expect, test } from 'vitest'
import { parseSafeInteger } from '../../../src/stores/eventstoredb/protocolMessages.ts'
import type { ReadFault } from '../../support/eventStoreDb/fakeFaults.ts'
import { writeForeignEvents } from '../../support/eventStoreDb/fakeLog.ts'
import { fakeForTest, openOn } from '../support/fakeUnderTest.ts'
import { followed } from '../support/followed.ts'
import { newAppend, newEvent } from '../support/newEvents.ts'

const page = { from: 0, limit: 10 }

describe('reading EventStoreDB', () => {
  test.each<ReadFault>(['unavailable', 'not leader', 'cut in the middle', 'ignored'])(
    'given a question that fails (%s), when asked again by itself, then the answer is whole',
    async (fault) => {
      const fake = await fakeForTest()
      fake.faults.leader = { host: '127.0.0.1', port: fake.port }
      // only what nobody answers is waited out: anything else is to be found out before, on a slow machine too
      const pace = fault === 'ignored' ? { readMs: 200, reads: 100 } : { readMs: 10_000 }
      const store = await openOn(fake, { pace })
      await store.append(newAppend('a-1', 'no_stream', 'x', 'y', 'z'))
      const before = fake.reads.count()
      fake.faults.read = (call) => (call === before + 1 ? fault : undefined)

      const events = await store.readStream('a-1', page)

      expect(events.map(({ revision }) => revision)).toEqual([0, 1, 2])
      expect(fake.reads.count()).toBeGreaterThanOrEqual(before + 2)
      if (fault !== 'ignored') expect(fake.reads.count()).toBe(before + 2)
    },
  )

  test('given a server that answers no question, when asked, then it is unavailable in the end', async () => {
    const fake = await fakeForTest()
    const store = await openOn(fake, { pace: { readMs: 50, reads: 2 } })
    fake.faults.read = () => 'ignored'

    await expect(store.readStream('a-1', page)).rejects.toMatchObject({ code: 'unavailable' })
    await expect(store.head()).rejects.toMatchObject({ code: 'unavailable' })
  })

  test('given a stream that its metadata have cut off at the beginning, when read, then the log is damaged', async () => {
    const fake = await fakeForTest()
    const store = await openOn(fake)
    await store.append(newAppend('a-1', 'no_stream', 'x', 'y', 'z'))
    fake.log.append('$$a-1', 'any', [
      {
        id: crypto.randomUUID(),
        type: '$metadata',
        contentType: 'application/json',
        data: Buffer.from('{"$maxCount":1}'),
        metadata: new Uint8Array(),
      },
    ])

    await expect(store.readStream('a-1', page)).rejects.toMatchObject({
      isDamage: true,
      cause: { message: expect.stringContaining('revision 0 of a-1 is missing') },
    })
  })

  test('given a stream that somebody has tombstoned, when read, then the log is damaged, and it is not asked again', async () => {
    const fake = await fakeForTest()
    const store = await openOn(fake)
    await store.append(newAppend('a-1', 'no_stream', 'x'))
    fake.log.tombstone('a-1')
    const before = fake.reads.count()

    await expect(store.readStream('a-1', page)).rejects.toMatchObject({
      cause: { message: expect.stringContaining('deleted') },
    })
    expect(fake.reads.count()).toBe(before + 1)
  })

  test('given a position between two events, when read from there, then the log is damaged, and it is not asked again', async () => {
    const fake = await fakeForTest()
    const store = await openOn(fake)
    await store.append(newAppend('a-1', 'no_stream', 'x', 'y'))
    const [first] = await store.readAll({ after: 0, limit: 1 })
    const before = fake.reads.count()

    const reading = store.readAll({ after: (first?.position ?? 0) + 1, limit: 1 })

    await expect(reading).rejects.toMatchObject({ isDamage: true })
    expect(fake.reads.count()).toBe(before + 1)
  })

  test('given a position between two events, when followed from there, then it ends at once, and it is said that the log is damaged', async () => {
    const fake = await fakeForTest()
    const store = await openOn(fake)
    await store.append(newAppend('a-1', 'no_stream', 'x', 'y'))
    const before = fake.reads.count()

    const following = followed(store, (await store.head()) - 1, 1)

    await expect(following).rejects.toMatchObject({ isDamage: true })
    // the head, and the event at the position
    expect(fake.reads.count()).toBe(before + 2)
  })

  test('given streams of other programs, one of them deleted for good, when all of the log is read, then only the events of the service come', async () => {
    const fake = await fakeForTest()
    const store = await openOn(fake, { isOwn: ({ metadata }) => metadata.includes('request') })
    writeForeignEvents(fake.log)
    await store.append(newAppend('a-1', 'no_stream', 'x'))
    writeForeignEvents(fake.log)
    await store.append(newAppend('a-1', 0, 'y'))
    writeForeignEvents(fake.log)

    const all = await store.readAll({ after: 0, limit: 10 })

    expect(all.map(({ id }) => id)).toEqual([newEvent('x').id, newEvent('y').id])
    expect(await store.readTail(2)).toEqual(all)
    expect(await store.head()).toBe(all[1]?.position)
    expect(await followed(store, 0, 2)).toEqual(all)
    expect(await followed(store, all[0]?.position ?? 0, 1)).toEqual(all.slice(1))
  })

  test.each(['9007199254740992', '18446744073709551615'])(
    'given the position %s, when it is to be kept as a number, then it is refused',
    (digits) => {
      expect(() => parseSafeInteger(digits)).toThrow(
        expect.objectContaining({ code: 'unavailable' }),
      )
      expect(parseSafeInteger('9007199254740991')).toBe(Number.MAX_SAFE_INTEGER)
    },
  )
})
