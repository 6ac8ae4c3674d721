import { rmSync } from 'node:fs'
import { describe, expect, onTestFinished, test } from 'vitest'
import { dataFolder } from '../../src/stores/embedded/dataFolder.ts'
import { openLogWriter } from '../../src/stores/embedded/logWriter.ts'
import { sharedHead } from '../../src/stores/embedded/sharedHead.ts'
import { readWitnessFile } from '../../src/stores/embedded/witnessFile.ts'
import { openForTest } from './support/embeddedUnderTest.ts'
import { failingDatabase } from './support/failingDatabase.ts'
import { newAppend } from './support/newEvents.ts'
import { temporaryFolder } from './support/temporaryFolder.ts'

const anotherWrites = /log\.db: another process writes to this folder; .*stop every one.*start one/

/** A log with one event and two stores that write to it, since somebody removed the lock. */
async function openTwice() {
  const folder = temporaryFolder()
  const disk = failingDatabase()
  const told: (string | undefined)[] = []
  const late = await openForTest({
    folder,
    open: disk.open,
    onTrouble: (reason) => told.push(reason),
  })
  await late.append(newAppend('shared', 'no_stream', 'shared'))
  removeLock(folder)
  const early = await openForTest({ folder })
  const reopened = async () => {
    await early.close()
    await late.close()
    removeLock(folder)
    return openForTest({ folder })
  }
  return { early, late, told, disk, reopened }
}

/** Why an append was refused, as an operator is told. */
async function reasonOf(appended: Promise<unknown>): Promise<string> {
  const error = await appended.then(
    () => undefined,
    (reason: Error) => reason,
  )
  return error?.cause instanceof Error ? error.cause.message : 'not refused'
}

function removeLock(folder: string): void {
  const { lock } = dataFolder(folder)
  for (const besides of ['', '-wal', '-shm']) rmSync(`${lock}${besides}`, { force: true })
}

describe('two writers of one log', () => {
  test('given an event of the other one, when a batch meets a stream that is there, then nothing of it is written and the event is kept', async () => {
    const { early, late, told, reopened } = await openTwice()
    await early.append(newAppend('a-1', 'no_stream', 'acknowledged'))

    const refused = await Promise.all([
      reasonOf(late.append(newAppend('shared', 'no_stream', 'shared'))),
      reasonOf(late.append(newAppend('a-2', 'no_stream', 'refused'))),
    ])

    expect(refused).toEqual(refused.map(() => expect.stringMatching(anotherWrites)))
    expect(late.takesAppends()).toBe(false)
    expect(told).toEqual([expect.stringMatching(anotherWrites)])
    expect(await early.append(newAppend('a-3', 'no_stream', 'goes on'))).toMatchObject({
      position: 3,
    })
    const events = await (await reopened()).readAll({ after: 0, limit: 10 })
    expect(events.map(({ stream }) => stream)).toEqual(['shared', 'a-1', 'a-3'])
  })

  test.each([
    ['only new streams', newAppend('a-2', 'no_stream', 'x')],
    ['only what was written before', newAppend('shared', 'no_stream', 'shared')],
    ['a stream that goes on', newAppend('shared', 0, 'x')],
    ['a wrong revision', newAppend('shared', 7, 'x')],
  ])(
    'given an event of the other one, when a batch has %s, then it is refused and none is taken any more',
    async (_, append) => {
      const { early, late, disk } = await openTwice()
      await early.append(newAppend('a-1', 'no_stream', 'acknowledged'))

      expect(await reasonOf(late.append(append))).toMatch(anotherWrites)

      const statements = disk.run.length
      await expect(late.append(newAppend('a-4', 'no_stream', 'later'))).rejects.toThrow(/restarted/)
      expect(disk.run).toHaveLength(statements)
      expect(await early.head()).toBe(2)
    },
  )

  test('given an event of the other one, when it is tried whether there is room, then the log is broken and its witness unchanged', () => {
    const { log: file, logWitness: witness } = dataFolder(temporaryFolder())
    const open = () => {
      const writer = openLogWriter({ file, witness, head: sharedHead(), nowMs: () => 0 })
      onTestFinished(writer.close)
      return writer
    }
    const late = open()
    late.commit([newAppend('shared', 'no_stream', 'shared')])
    open().commit([newAppend('a-1', 'no_stream', 'acknowledged')])

    const probed = late.probe()

    expect(probed).toEqual({
      kind: 'refused',
      broken: true,
      reason: expect.stringMatching(anotherWrites),
    })
    expect(readWitnessFile(witness)).toMatchObject({ position: 2 })
  })
})
