/** Two processes share the projections; the one that runs them is stopped past its lease, and continued. */

import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { parkedCollection } from '../../src/projections/running/parking.ts'
import type { EmbeddedEventStore } from '../../src/stores/embedded/embeddedEventStore.ts'
import { openEmbeddedReadStore } from '../../src/stores/embedded/readStore.ts'
import { letters, plainFold } from '../projections/lettersProjection.ts'
import { openForTest } from '../stores/support/embeddedUnderTest.ts'
import { temporaryFolder } from '../stores/support/temporaryFolder.ts'
import { eventually } from '../support/eventually.ts'

const projector = fileURLToPath(new URL('./projector.ts', import.meta.url))
const rounds = 2

test('given a holder stopped past its lease with a batch in hand, when it goes on, then it writes nothing and all is there once', {
  timeout: 180_000,
}, async () => {
  const folder = temporaryFolder()
  const log = await openForTest({ folder })
  onTestFinished(log.close)
  const readStore = openEmbeddedReadStore({ folder })
  onTestFinished(readStore.close)
  const both = [startProjector(folder, 'a'), startProjector(folder, 'b')]
  for (const { lines } of both) await eventually(() => lines().includes('open'))
  const seen = async () => {
    const [one] = await readStore.checkpoints().then((all) => all.filter(isLetters))
    return one?.position ?? 0
  }

  let head = 0
  for (let round = 0; round < rounds; round += 1) {
    await eventually(() => both.some(({ holds }) => holds()))
    const [holder, other] = both[0]?.holds() ? both : [...both].reverse()
    await eventually(async () => (await seen()) === head)
    await holder?.stopAtPark()
    head = await addLetter(log, '!')
    await eventually(() => Boolean(other?.holds()))
    head = await addLetter(log, 'b')
    await eventually(async () => (await seen()) === head)
    holder?.goOn()
    await eventually(() => !holder?.holds())
    expect(await seen()).toBe(head)
  }

  head = await addLetter(log, '.')
  await eventually(async () => (await seen()) === head)
  const events = await log.readAll({ after: 0, limit: 1_000 })
  const [collection] = letters().collections
  if (!collection) throw new Error('letters have a collection')
  const found = await readStore.find(collection, { where: {}, limit: 10 })
  expect(new Map(found.map(({ id, body }) => [id, body['text']]))).toEqual(plainFold(events))
  expect(await readStore.find(parkedCollection(letters()), { where: {}, limit: 10 })).toEqual([])
  const { fence = 0 } = (await readStore.leases.holder('projections')) ?? {}
  expect(fence).toBeGreaterThan(rounds)
  expect(both.flatMap(({ lines }) => lines()).filter((line) => line.startsWith('alarm'))).toEqual(
    [],
  )
})

const isLetters = ({ projection }: { readonly projection: string }) => projection === 'letters'

async function addLetter(log: EmbeddedEventStore, letter: string): Promise<number> {
  const appended = await log.append({
    stream: `letters-${randomUUID()}`,
    expected: 'no_stream',
    events: [
      {
        id: randomUUID(),
        type: 'LetterAdded',
        data: JSON.stringify({ ids: ['p'], letter }),
        metadata: '{}',
      },
    ],
  })
  return appended.ok ? appended.position : 0
}

function startProjector(folder: string, owner: string) {
  const child = spawn(process.execPath, ['--import', 'tsx', projector, folder, owner], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let text = ''
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString()
  })
  onTestFinished(async () => {
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'close')
  })
  const lines = () => text.split('\n').slice(0, -1)
  return {
    lines,
    holds: () =>
      lines()
        .filter((line) => line === 'left' || line.startsWith('holds'))
        .at(-1)
        ?.startsWith('holds') ?? false,
    stopAtPark: async () => {
      const before = lines().length
      child.stdin.write('stop\n')
      await eventually(() => lines().slice(before).includes('ready to stop'))
    },
    goOn: () => child.kill('SIGCONT'),
  }
}
