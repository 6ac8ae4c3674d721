/** A process that appends from several callers and says on stdout what was acknowledged, until it is killed. */

import { randomUUID } from 'node:crypto'
import { openEmbeddedEventStore } from '../../src/stores/embedded/embeddedEventStore.ts'

const callers = 8
const [folder = '', round = ''] = process.argv.slice(2)

const store = await openEmbeddedEventStore({ folder })
process.stdout.write('open\n')
await Promise.all(Array.from({ length: callers }, (_, caller) => appendForEver(caller)))

/** Each caller has a stream of its own, and starts a new one now and then. Ends only with the process. */
async function appendForEver(caller: number): Promise<never> {
  for (let turn = 0; ; turn += 1) {
    const stream = `crash-${round}-${caller}-${turn}`
    for (let revision = -1; revision < 40; ) {
      const count = 1 + ((turn + revision + 1) % 3)
      const events = Array.from({ length: count }, (_, index) => ({
        id: randomUUID(),
        type: 'Acknowledged',
        data: JSON.stringify({ index, count, padding: 'x'.repeat(300) }),
        metadata: '{}',
      }))
      const answer = await store.append({
        stream,
        expected: revision < 0 ? 'no_stream' : revision,
        events,
      })
      if (!answer.ok) throw new Error(`nobody else writes to ${stream}`)
      revision = answer.revision
      process.stdout.write(
        `${stream} ${answer.revision} ${answer.position} ${events.map(({ id }) => id).join(' ')}\n`,
      )
    }
  }
}
