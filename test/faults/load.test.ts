import { EventEmitter, once } from 'node:events'
import { createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { listen } from '../support/listen.ts'
import type { RunningShop } from '../support/runningShop.ts'
import type { StartedVigil } from '../support/startedVigil.ts'
import { type Instance, openInstance } from './instance.ts'
import { startLoad } from './load.ts'
import { seededChance } from './seededChance.ts'

const shop = { flow: 'flo_1', token: 't' } as RunningShop

/** An instance whose process is the test's. */
function openOwn(url = '') {
  const processes: EventEmitter[] = []
  const start = async () => {
    const process = new EventEmitter()
    processes.push(process)
    const stop = async () => {
      process.emit('exit', null, 'SIGKILL')
      return null
    }
    return { url, process, printed: () => 'out of memory', stop } as unknown as StartedVigil
  }
  const options = { name: 'instance-1', folder: '', environment: {}, proxies: [] }
  return { instance: openInstance(options, start), processes }
}

/** A service that takes a request and resets its connection. */
async function startResetting() {
  const asked = new EventEmitter()
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => {
      asked.emit('one')
      socket.resetAndDestroy()
    })
  })
  const { port, close } = await listen(server)
  onTestFinished(close)
  return { url: `http://127.0.0.1:${port}`, asked }
}

function loadOn(instance: Instance) {
  return startLoad({ instances: [instance], shop, chance: seededChance(1), clients: 1 })
}

test('given an instance that nothing is done to, when it resets a connection, then that is a fault', async () => {
  const { url, asked } = await startResetting()
  const { instance } = openOwn(url)
  await instance.start()

  const load = loadOn(instance)
  await once(asked, 'one')
  await load.stop()

  expect(load.faults[0]).toMatch(/^client-0-0 on instance-1: the connection broke: /)
})

test('given an instance that something is done to, when it resets connections, then the same is sent again, and nothing is a fault', async () => {
  const { url, asked } = await startResetting()
  const { instance } = openOwn(url)
  await instance.start()
  const over = new EventEmitter()
  const disturbed = instance.disturb(async () => void (await once(over, 'now')))

  const load = loadOn(instance)
  await once(asked, 'one')
  await once(asked, 'one')
  const before = [...load.faults]
  over.emit('now')
  await disturbed
  await load.stop()

  expect(before).toEqual([])
  expect(load.faults).toHaveLength(1)
})

test('given a process that ends by itself, then it is said with what it printed, and one that was killed is not', async () => {
  const { instance, processes } = openOwn()
  await instance.start()
  await instance.kill()
  await instance.start()

  processes[1]?.emit('exit', null, 'SIGABRT')

  expect(instance.deaths).toEqual(['instance-1 ended by itself with SIGABRT: out of memory'])
  expect(instance.running()).toBeUndefined()
})
