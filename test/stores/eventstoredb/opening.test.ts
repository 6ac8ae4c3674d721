import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { openEventStoreDb } from '../../../src/stores/eventstoredb/openEventStoreDb.ts'
import { selfSigned } from '../../support/selfSigned.ts'
import { fakeForTest, openOn } from '../support/fakeUnderTest.ts'
import { newAppend, newEvent } from '../support/newEvents.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'

describe('opening a store on EventStoreDB', () => {
  test('given a server that cannot say at first what it can do, when opened, then the client, which would keep that answer, is made anew', async () => {
    const fake = await fakeForTest()
    fake.faults.features = (call) => (call < 3 ? 'internal' : undefined)

    const store = await openOn(fake)

    expect(fake.probes()).toBe(3)
    expect(await store.append(newAppend('a-1', 'no_stream', 'x'))).toMatchObject({ ok: true })
  })

  test.each(['ignored', 'internal'] as const)(
    'given a server that never says what it can do (%s), when opened, then it is refused in the end',
    async (fault) => {
      const fake = await fakeForTest()
      fake.faults.features = () => fault

      const opening = openOn(fake, { pace: { startMs: 100, readMs: 50 } })

      await expect(opening).rejects.toThrow('Cannot use the EventStoreDB that EVENTSTORE_URL')
    },
  )

  test('given a server from before 22.6, when opened, then it is refused with the version that is needed', async () => {
    const fake = await fakeForTest()
    fake.faults.old = true

    await expect(openOn(fake)).rejects.toThrow('22.6 or newer')
  })

  test('given nobody at the address, when opened, then it is refused without the password', async () => {
    const { port, stop } = await fakeForTest()
    stop()
    const url = `esdb://vigil:pass-word-1@127.0.0.1:${port}?tls=false`

    const error = await openOn({ url }, { pace: { startMs: 50 } }).catch((thrown) => thrown)

    expect(error.message).toContain('Cannot use the EventStoreDB that EVENTSTORE_URL leads to')
    expect(JSON.stringify([error.message, error.stack, error.cause?.message])).not.toContain(
      'pass-word-1',
    )
  })

  test.each([
    ['denied', 'readRoles'],
    ['unauthenticated', 'The user name or the password in EVENTSTORE_URL is wrong.'],
  ] as const)(
    'given a user who is %s, when opened, then it is said what to do',
    async (fault, advice) => {
      const fake = await fakeForTest()
      fake.faults.read = () => fault

      await expect(openOn(fake)).rejects.toThrow(advice)
    },
  )

  test('given a server that is not there, when opened, then it is said once what is waited for and how long, and one that is there is not waited for', async () => {
    const { port, stop, ...fake } = await fakeForTest()
    const said: string[] = []
    const onWaiting = (what: string) => said.push(what)
    await openOn(fake, { onWaiting, pace: { untoldMs: 60_000 } })
    stop()

    const opening = openOn(fake, { onWaiting, pace: { startMs: 2_000 } })

    await expect(opening).rejects.toThrow(`ECONNREFUSED 127.0.0.1:${port}.`)
    expect(said).toEqual([
      expect.stringMatching(
        /^Waiting up to 2 s for the EventStoreDB that EVENTSTORE_URL leads to: /,
      ),
    ])
  })

  test('given a server without TLS, when opened with it, then it is said that it seems to speak none', async () => {
    const { port } = await fakeForTest()

    const opening = openOn({ url: `esdb://127.0.0.1:${port}` }, { pace: { startMs: 100 } })

    await expect(opening).rejects.toThrow('tls=false')
  })

  test('given a server with TLS at an IP address, when opened, then its certificate is compared with the address', async () => {
    const own = await urlWithTls('127.0.0.1')
    const others = await urlWithTls('localhost')

    const store = await openOn({ url: own })
    const refused = openOn({ url: others }, { pace: { startMs: 100 } })

    expect(await store.append(newAppend('a-1', 'no_stream', 'x'))).toMatchObject({ ok: true })
    await expect(refused).rejects.toThrow(/altnames/)
  })

  test.each([
    ['between two events', -1],
    ['beyond its end', 1_000],
  ])(
    'given read models of another log, whose position lies %s, when opened, then it is said at once what to restore',
    async (_, distance) => {
      const fake = await fakeForTest()
      const store = await openOn(fake)
      await store.append(newAppend('a-1', 'no_stream', 'x', 'y'))
      const position = (await store.head()) + distance
      const before = fake.reads.count()

      const { id } = newEvent('z')
      const opening = openEventStoreDb(fake, [{ by: 'the read models', position, id }])

      await expect(opening).rejects.toThrow(
        `the read models remembers an event at position ${position} that it does not have; it ends at ${position - distance}. Nothing was changed. Restore the log`,
      )
      // the end at the start, the event, and the end again for the sentence
      expect(fake.reads.count()).toBe(before + 3)
    },
  )

  test('given a cluster, when opened through any of its seeds, then its leader is found', async () => {
    const fake = await fakeForTest()
    const url = `esdb://127.0.0.1:${fake.port},127.0.0.1:1?tls=false`

    const store = await openOn({ url })

    expect(await store.append(newAppend('a-1', 'no_stream', 'x'))).toMatchObject({ ok: true })
  })

  test('given a client that is told to say all it does, when opened, then it does not say the password', async () => {
    const { url } = await fakeForTest()
    const script = `
      import { openEventStoreDb } from './src/stores/eventstoredb/openEventStoreDb.ts'
      const store = await openEventStoreDb({ url: '${url.replace('esdb://', 'esdb://vigil:pass-word-1@')}' })
      await store.close()
      console.log('opened')`
    const args = ['--import', 'tsx', '--input-type=module', '--eval', script]
    const child = spawn(process.execPath, args, { env: { ...process.env, DEBUG: '*' } })

    const [out, said] = await Promise.all([text(child.stdout), text(child.stderr)])

    expect(out).toContain('opened')
    expect(said).toContain('Using connection string')
    expect(said).not.toContain('pass-word-1')
  })
})

/** Leads to a server by its IP address, whose certificate is for the host. */
async function urlWithTls(host: string): Promise<string> {
  const secured = selfSigned([host])
  const authority = join(temporaryFolder(), 'ca.pem')
  writeFileSync(authority, secured.cert)
  const { port } = await fakeForTest({ secured })
  return `esdb://127.0.0.1:${port}?tls=true&tlsCAFile=${authority}`
}
