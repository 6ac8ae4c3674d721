import { once } from 'node:events'
import { getPriority } from 'node:os'
import { expect, test } from 'vitest'
import { startThread } from '../../src/stores/embedded/startThread.ts'

test.skipIf(process.platform !== 'linux')(
  'a thread that gives way has a lower priority, and the others of the process theirs',
  async () => {
    const before = getPriority()
    const thread = startThread(new URL('./support/givingWay.ts', import.meta.url), undefined)

    const [priority] = await once(thread, 'message')

    expect(priority).toBe(Math.min(before + 5, 19))
    expect(getPriority()).toBe(before)
  },
)
