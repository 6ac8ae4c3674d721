/**
 * A process that shares the projection of letters with others, and says on stdout when the lease comes and goes. Told `stop`, it cannot
 * apply the next `!`, which no other process has trouble with, and stops itself by SIGSTOP when it is about to commit that it parks it.
 */

import { randomUUID } from 'node:crypto'
import { shareProjections } from '../../src/projections/running/shareProjections.ts'
import { openEmbeddedEventReader } from '../../src/stores/embedded/logReader.ts'
import { openEmbeddedReadStore } from '../../src/stores/embedded/readStore.ts'
import { sharedHead } from '../../src/stores/embedded/threads.ts'
import type { ReadStore } from '../../src/stores/readStore.ts'
import { decodeLetters, letters } from '../projections/lettersProjection.ts'

const [folder = '', owner = ''] = process.argv.slice(2)
const poison = new Set<string>()

/** The writer is another process, so how far the log has come is looked up in its file. */
function openLog() {
  const head = sharedHead()
  const reader = openEmbeddedEventReader({ folder, headBuffer: head.buffer })
  const look = async (): Promise<void> => {
    const events = await reader.readAll({ after: head.position(), limit: 1_000 })
    const last = events.at(-1)
    if (last) head.publish(last.position)
  }
  setInterval(() => void look(), 5)
  return reader
}

function stopping(store: ReadStore): ReadStore {
  return {
    ...store,
    under: (lease) => {
      const held = store.under(lease)
      return {
        ...held,
        commitTogether: async (commits) => {
          const parks = commits
            .flatMap(({ changes }) => changes)
            .some(({ collection }) => collection.name.startsWith('parked_'))
          if (parks) stopHere()
          await held.commitTogether(commits)
        },
      }
    },
  }
}

/** The signal may come a little later than it is sent; until then this thread does nothing, so that it holds no lock of SQLite. */
function stopHere(): void {
  poison.clear()
  process.kill(process.pid, 'SIGSTOP')
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000)
}

const say = (line: string): void => void process.stdout.write(`${line}\n`)

shareProjections({
  eventStore: openLog(),
  readStore: stopping(openEmbeddedReadStore({ folder, session: 'of this test' })),
  projections: [letters({ poison })],
  decode: decodeLetters,
  onOtherLog: 'rebuild',
  owner,
  nowMs: Date.now,
  newId: randomUUID,
  onAlarm: ({ message }) => say(`alarm ${message}`),
  onHolding: ({ held, fence }) => say(held ? `holds ${fence}` : 'left'),
  times: { forMs: 3_000, renewEveryMs: 50, askEveryMs: 20 },
})
process.stdin.on('data', () => {
  poison.add('!')
  say('ready to stop')
})
say('open')
